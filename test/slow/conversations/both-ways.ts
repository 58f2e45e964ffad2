import * as official from '@anthropic-ai/claude-agent-sdk';
import { afterEach } from 'vitest';
import type { Session, SessionInfo } from '../../../src/index.ts';

const before = process.env['CLAUDE_CONFIG_DIR'];

afterEach(() => {
  if (before === undefined) delete process.env['CLAUDE_CONFIG_DIR'];
  else process.env['CLAUDE_CONFIG_DIR'] = before;
});

/** The official functions, which know no other way to be told where to look than this variable. */
export function officialFor(configDir: string): typeof official {
  process.env['CLAUDE_CONFIG_DIR'] = configDir;
  return official;
}

/** As JSON has it: a field that is undefined is not there. */
export function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** What the official SDK knows of a conversation, too: which process has it open is Troupe's own. */
export function withoutLive(infos: readonly SessionInfo[]): unknown {
  return asJson(infos.map(({ livePid: _pid, ...info }) => info));
}

/** Runs prompts one after the other; throws when one has no result. */
export async function run(session: Session, ...prompts: string[]): Promise<void> {
  for (const prompt of prompts) await session.prompt(prompt).result;
}

/** The id of the conversation, and nothing of it in memory any more. */
export async function closed(session: Session): Promise<string> {
  const id = session.conversationId;
  await session.close();
  if (id === undefined) throw new Error('The session has no conversation.');
  return id;
}
