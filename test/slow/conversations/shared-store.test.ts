import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { getSessionMessages, InMemorySessionStore, type SessionStore } from '../../../src/index.ts';
import { type Stage, stage } from '../real-cli/stage.ts';

/** A turn of the official SDK on the stage, whose transcript lies in the store and nowhere else. Resolves with its id. */
async function officialTurn(set: Stage, prompt: string, store: SessionStore, resume?: string): Promise<string> {
  const options = {
    cwd: set.cwd,
    pathToClaudeCodeExecutable: set.cli.path,
    env: elsewhere(set, 'theirs'),
    sessionStore: store,
    ...(resume === undefined ? {} : { resume }),
  };
  let id = '';
  for await (const message of query({ prompt, options })) if (message.type === 'result') id = message.session_id;
  return id;
}

/** A turn of Troupe on the stage, likewise. */
async function ownTurn(set: Stage, prompt: string, store: SessionStore, resume?: string): Promise<string> {
  const setting = { env: elsewhere(set, 'ours'), sessionStore: store };
  const session = await set.start({ ...setting, ...(resume === undefined ? {} : { resume }) });
  await session.prompt(prompt).result;
  await session.close();
  return session.conversationId ?? '';
}

/** Each of the two has a configuration folder of its own: what one knows of the other comes out of the store. */
function elsewhere({ setting, cwd }: Stage, name: string) {
  return { ...setting.env, CLAUDE_CONFIG_DIR: join(cwd, '..', name) };
}

/** The prompts of the conversation as the store has them; the official SDK writes a text as a block. */
async function promptsIn(sessionStore: SessionStore, id: string, { cwd }: Stage): Promise<(string | undefined)[]> {
  const messages = await getSessionMessages(id, { sessionStore, dir: cwd });
  return messages.flatMap(({ type, message }) => {
    if (type !== 'user') return [];
    const { content } = message as { content: string | { text?: string }[] };
    return typeof content === 'string' ? [content] : content.map(({ text }) => text);
  });
}

describe('a store that Troupe and the official SDK share (WIRE §12)', () => {
  it('lets the official SDK go on with a conversation of Troupe, and Troupe with that again', async () => {
    const set = await stage();
    const store = new InMemorySessionStore();
    const id = await ownTurn(set, 'Remember the word heliotrope', store);
    expect(await officialTurn(set, 'And the word cinnabar', store, id)).toBe(id);
    expect(JSON.stringify(set.model.requests.at(-1))).toContain('heliotrope');
    expect(await ownTurn(set, 'Which words were it?', store, id)).toBe(id);

    const asked = JSON.stringify(set.model.requests.at(-1));
    expect([asked.includes('heliotrope'), asked.includes('cinnabar')]).toEqual([true, true]);
    expect(await promptsIn(store, id, set)).toEqual([
      'Remember the word heliotrope',
      'And the word cinnabar',
      'Which words were it?',
    ]);
  });

  it('lets Troupe go on with a conversation of the official SDK', async () => {
    const set = await stage();
    const store = new InMemorySessionStore();
    const id = await officialTurn(set, 'Remember the word heliotrope', store);
    expect(await ownTurn(set, 'Which word was it?', store, id)).toBe(id);

    expect(JSON.stringify(set.model.requests.at(-1))).toContain('heliotrope');
    expect(await promptsIn(store, id, set)).toEqual(['Remember the word heliotrope', 'Which word was it?']);
  });
});
