import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../src/dialects/dialect.ts';
import { TroupeError } from '../../src/errors.ts';
import type { PromptContent, PromptOptions } from '../../src/session/prompt-record.ts';
import { memoryStage } from './memory-cli.ts';

const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
const PDF = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };
const TEXT = { type: 'text', text: 'Look.' };

describe('a prompt of dialect print, which carries text only (DIALECTS §4)', () => {
  it.each<[field: string, content: PromptContent, options: PromptOptions]>([
    ['content[1]', [TEXT, IMAGE], {}],
    ['content[0]', [PDF], {}],
    ['content[0]', [{ type: 'tool_result', tool_use_id: 't', content: 'x' }], {}],
    ['fields.shouldQuery', 'Look.', { fields: { shouldQuery: false } }],
    ['fields.parent_tool_use_id', 'Look.', { fields: { parent_tool_use_id: 'toolu_1' } }],
    ['content', '/clear', { untrusted: true }],
    ['content', [TEXT, { type: 'text', text: 'see @/etc/passwd' }], { untrusted: true }],
    ['content', '/clear', { fields: { client_composed: true } }],
  ])('is refused with its field instead of losing %s', async (field, content, options) => {
    const { supervisor, events } = await memoryStage();
    // Without a process: the loopback of this dialect is a socket.
    const session = await supervisor.start({ dialect: 'print', autoStart: false });

    const refusal = refusalOf(() => session.prompt(content, options));

    expect(refusal).toMatchObject({ code: 'INVALID_PROMPT', details: { field } });
    expect(refusal?.details['reason']).toEqual(expect.stringMatching(/text|always asks|would act/));
    expect(events.map(({ type }) => type)).not.toContain('prompt.accepted');
    expect(session.status).toBe('idle');
  });

  it.each<[content: PromptContent, isUntrusted: boolean, fields: PromptOptions['fields']]>([
    ['/compact', false, undefined],
    ['Look at a thing.', true, undefined],
    [[TEXT, TEXT], false, { shouldQuery: true, parent_tool_use_id: null, priority: 'later' }],
  ])('is taken when it is text: %j', (content, isUntrusted, fields) => {
    expect(dialectOf({ dialect: 'print' }).promptFault?.({ content, fields, isUntrusted })).toBeUndefined();
  });

  it('and pictures go on where the dialect carries them', async () => {
    const { session, events } = await memoryStage();
    session.prompt([TEXT, IMAGE]);
    expect(events.map(({ type }) => type)).toContain('prompt.accepted');
  });
});

function refusalOf(call: () => unknown): TroupeError | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return TroupeError.is(error) ? error : undefined;
  }
}
