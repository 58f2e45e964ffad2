import { describe, expect, it } from 'vitest';
import { AttachDesk } from '../../src/cli/attach/attach-desk.ts';
import { footerOf } from '../../src/cli/attach/attach-footer.ts';
import { LineEditor } from '../../src/cli/attach/line-editor.ts';
import { TranscriptPrinter } from '../../src/cli/attach/transcript-printer.ts';
import { questionCard } from '../../src/cli/fleet/question-card.ts';
import type { Key } from '../../src/cli/terminal/keys.ts';
import { plainLines } from '../../src/cli/terminal/live-lines.ts';
import { COLORLESS } from '../../src/cli/terminal/style.ts';
import { connect } from '../../src/client/index.ts';
import { type PermissionView, type SessionView, startView } from '../../src/view/session-view.ts';
import { EMPTY_TRANSCRIPT, type TranscriptItem } from '../../src/view/transcript.ts';

const BASH: PermissionView = { id: 'q1', kind: 'tool', toolName: 'Bash', input: { command: 'ls' }, requestedAt: 0 };

describe('the keys of `troupe attach`', () => {
  it.each([
    ['y', { behavior: 'allow' }],
    ['a', { behavior: 'allow', scope: 'session' }],
    ['A', { behavior: 'allow', scope: 'always' }],
    ['n', { behavior: 'deny' }],
  ])('%s answers the oldest open question (P4)', async (key, answer) => {
    const { press, asked } = await attached([BASH, { ...BASH, id: 'q2' }]);
    press(key);

    expect(asked()).toEqual([['POST /v1/permissions/a~q1', answer]]);
  });

  it('a second stroke answers no other question than the next one', async () => {
    const { press, asked } = await attached([BASH, { ...BASH, id: 'q2' }]);
    press('y');
    press('n');
    press('y');

    expect(asked().map(([path]) => path)).toEqual(['POST /v1/permissions/a~q1', 'POST /v1/permissions/a~q2']);
  });

  it('no single key allows what is marked as dangerous, and none remembers what may not be remembered (P4)', async () => {
    const { press, type, asked } = await attached([{ ...BASH, defaultToNo: true, suppressAlwaysAllowRule: true }]);
    press('y');
    type('no');
    press('a');
    press('A');
    expect(asked()).toEqual([]);
    press('y');
    type('yes');
    expect(asked()).toEqual([['POST /v1/permissions/a~q1', { behavior: 'allow' }]]);
  });

  it('a denial may have a reason, and an option is chosen by its number', async () => {
    const reason = await attached([BASH]);
    reason.press('N');
    reason.type('not on a Friday');
    expect(reason.asked()).toEqual([['POST /v1/permissions/a~q1', { behavior: 'deny', message: 'not on a Friday' }]]);

    const questions = [{ question: 'Which?', header: 'h', options: [{ label: 'red' }, { label: 'blue' }] }];
    const choice = await attached([
      { ...BASH, toolName: 'AskUserQuestion', input: { questions }, requiresUserInteraction: true },
    ]);
    choice.press('y');
    choice.press('3');
    choice.press('2');
    expect(choice.asked()).toEqual([
      ['POST /v1/permissions/a~q1', { behavior: 'allow', updatedInput: { questions, answers: { 'Which?': 'blue' } } }],
    ]);
  });

  it('what is typed is a prompt or a steering word only when it was entered, and keys do nothing meanwhile', async () => {
    const { press, type, asked } = await attached([BASH]);
    press('p');
    type('yani\u001b', 'escape');
    expect(asked()).toEqual([]);
    press('s');
    type('only the parser');
    press('i');

    expect(asked()).toMatchObject([
      ['POST /v1/sessions/a/prompts', { content: 'only the parser', onBusy: 'steer' }],
      ['POST /v1/sessions/a/interrupt', {}],
    ]);
  });

  it('q and Ctrl-C detach', async () => {
    const { press, detached } = await attached([]);
    press('q');
    press('c', { isCtrl: true });

    expect(detached()).toBe(2);
  });
});

describe('a question on the screen', () => {
  it('shows the changed lines of a file, and how many it does not show (P4)', () => {
    const edit = { file_path: '/a.ts', old_string: 'one\ntwo', new_string: 'one\nthree' };
    const card = (most?: number) =>
      questionCard(
        { ...BASH, toolName: 'Edit', input: edit },
        { style: COLORLESS, columns: 80, ...(most === undefined ? {} : { most }) },
      );

    expect(card()).toEqual(['? Edit', '  │ /a.ts', '  │   one', '  │ - two', '  │ + three']);
    expect(card(2).at(-1)).toBe('  │ … 2 more lines');
  });

  it('shows all of an input, without anything that a terminal would obey', () => {
    const input = { command: `echo ${'x'.repeat(200)}\u001b[2J`, description: 'says x' };
    const text = questionCard({ ...BASH, input }, { style: COLORLESS, columns: 60 }).join('');

    expect(text.match(/x/g)).toHaveLength(201);
    expect(text).toContain('\ufffd[2J');
    expect(text).toContain('description: says x');
  });

  it('is named below with its keys, in rows that are narrower than the terminal', () => {
    const view: SessionView = { ...startView({ id: 'a', groups: [] }), permissions: [BASH, BASH] };
    const facts = { connection: 'live', retryAt: undefined, editor: undefined, style: COLORLESS, now: 0 } as const;

    expect(footerOf({ ...facts, view, columns: 120 })[1]).toMatch(
      /^Allow Bash\? \(1 of 2\) {2}y allow {2}a in this session/,
    );
    for (const row of footerOf({ ...facts, view, columns: 30 })) expect(row.length).toBeLessThan(30);
    expect(footerOf({ ...facts, view, columns: 80, connection: 'waiting', retryAt: 2_000 })[1]).toContain(
      'again in 2 s',
    );
    const editor = new LineEditor('steer');
    for (const character of 'a long word') editor.take(key(character));
    expect(footerOf({ ...facts, view, columns: 16, editor })[1]).toBe('steer> ng word▏');
  });
});

describe('a transcript on the screen', () => {
  const at = { seq: 1, at: 0 };
  const text = (words: string, isStreaming: boolean): TranscriptItem => ({
    kind: 'text',
    id: 't',
    ...at,
    text: words,
    isStreaming,
  });

  it('prints text once, as it streams, and a card for each tool and for what came of it', () => {
    const { show, printed } = printer();
    show(text('Hello', true));
    show(text('Hello, world', true));
    const tool = { kind: 'tool', id: 'u', ...at, toolUseId: 'u', name: 'Bash', input: { command: 'ls' } } as const;
    show(text('Hello, world.', false), { ...tool, status: 'running' });
    show(text('Hello, world.', false), { ...tool, status: 'asking' });
    const result = { text: '1\n2\n3\n4\n5\n6', isError: false, attachments: [] };
    show(text('Hello, world.', false), { ...tool, status: 'done', result });

    expect(printed()).toBe('Hello, world.\n● Bash ls\n  ✓ 1\n    2\n    3\n    4\n    … 2 more lines\n');
  });

  it('says who denied a tool, and names messages that it does not know (P6)', () => {
    const { show, printed } = printer();
    const tool = { kind: 'tool', id: 'u', ...at, toolUseId: 'u', name: 'Bash', input: {} } as const;
    show({ ...tool, status: 'denied', permission: { id: 'q', outcome: 'denied', by: 'api', who: 'owner' } });
    show({ kind: 'unknown', id: 'x', ...at, messageType: 'hologram', line: '{}' });

    expect(printed()).toBe('● Bash\n  ✗ denied by owner\n· hologram\n'.replace('Bash\n', 'Bash \n'));
  });
});

function printer() {
  let written = '';
  const sink = plainLines((piece) => {
    written += piece;
  });
  const inner = new TranscriptPrinter(sink, COLORLESS);
  return {
    show: (...items: TranscriptItem[]) => inner.show({ ...EMPTY_TRANSCRIPT, items }),
    printed: () => written,
  };
}

function key(text: string, more: Partial<Key> = {}): Key {
  return { name: text.toLowerCase(), text, isCtrl: false, ...more };
}

/** A desk before a session with these open questions; what it asks of the server is written down and answered. */
async function attached(permissions: readonly PermissionView[]) {
  const asked: [string, unknown][] = [];
  let detached = 0;
  const view: SessionView = { ...startView({ id: 'a', groups: [] }), permissions };
  const frames = `event: snapshot\ndata: ${JSON.stringify({ type: 'snapshot', view, from: 0 })}\n\n`;
  const client = connect({
    url: 'http://127.0.0.1:1',
    fetch: async (target, { method = 'GET', body } = {}) => {
      const { pathname } = new URL(String(target));
      if (method === 'GET') return new Response(frames);
      asked.push([`${method} ${decodeURIComponent(pathname)}`, JSON.parse(String(body))]);
      return new Response('{}');
    },
  });
  const session = client.session('a');
  let unfollow = () => {};
  await new Promise<void>((resolve) => {
    unfollow = session.view.subscribe((known) => known !== undefined && resolve());
  });
  unfollow();
  const desk = new AttachDesk({
    session,
    sink: plainLines(() => {}),
    style: COLORLESS,
    columns: () => 80,
    changed: () => {},
    detach: () => {
      detached += 1;
    },
  });
  const press = (text: string, more: Partial<Key> = {}) => desk.press(key(text, more));
  const type = (text: string, end = 'return') => {
    for (const character of text.replace('\u001b', '')) press(character);
    press('', { name: end });
  };
  return { press, type, asked: () => asked, detached: () => detached };
}
