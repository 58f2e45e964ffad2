import * as official from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import {
  canonicalPath,
  isLongKey,
  longKeyPrefix,
  plainKey,
  projectKeyOf,
} from '../../src/conversations/project-key.ts';
import type { SessionKey } from '../../src/conversations/session-store.ts';
import { keyOfTranscript } from '../../src/conversations/transcript-key.ts';
import { idOf } from './transcript-disk.ts';

const PATHS = [
  '/srv/app',
  '/srv/my app_2.0',
  '/srv/Grüße/日本',
  '/srv/Cafe\u0301',
  `/${'x'.repeat(199)}`,
  `/${'x'.repeat(200)}`,
  `/${'long/'.repeat(60)}`,
  `/${'ü😀'.repeat(100)}`,
];

describe('the name of a project folder (WIRE §12)', () => {
  it.each(PATHS)('of %s is the one that the official SDK gives it', async (path) => {
    expect(projectKeyOf(await canonicalPath(path, '/'))).toBe(await officialKeyOf(path));
  });

  it('has nothing but letters, digits and dashes, and is of a length every file system takes', () => {
    for (const path of PATHS) expect(projectKeyOf(path)).toMatch(/^[A-Za-z0-9-]{1,210}$/);
  });

  it('tells two long paths with the same start apart', () => {
    const [one, other] = [`/${'x'.repeat(250)}a`, `/${'x'.repeat(250)}b`];
    expect(projectKeyOf(one)).not.toBe(projectKeyOf(other));
    for (const path of [one, other]) expect(projectKeyOf(path).startsWith(longKeyPrefix(plainKey(path)))).toBe(true);
    expect(isLongKey(plainKey(one))).toBe(true);
    expect(isLongKey(plainKey('/srv'))).toBe(false);
  });
});

describe('the key of a transcript in a store', () => {
  const projects = '/config/projects';

  it.each([
    ['a conversation', `-srv/${idOf(1)}.jsonl`, {}],
    ['a subagent', `-srv/${idOf(1)}/subagents/agent-a1.jsonl`, { subpath: 'subagents/agent-a1' }],
    ['a nested one', `-srv/${idOf(1)}/subagents/w/run-1/agent-b2.jsonl`, { subpath: 'subagents/w/run-1/agent-b2' }],
  ])('of %s is where it lies below the projects', (_, path, more) => {
    const expected = { projectKey: '-srv', sessionId: idOf(1), ...more };
    expect(keyOfTranscript(`${projects}/${path}`, projects)).toEqual(expected);
  });

  it.each([
    ['outside', `/elsewhere/-srv/${idOf(1)}.jsonl`],
    ['beside, with the same start', `/config/projects-2/-srv/${idOf(1)}.jsonl`],
    ['above', `${projects}/../-srv/${idOf(1)}.jsonl`],
    ['reached by a way up', `${projects}/-srv/${idOf(1)}/subagents/../../../../x.jsonl`],
    ['no UUID', `${projects}/-srv/notes.jsonl`],
    ['no transcript', `${projects}/-srv/${idOf(1)}.json`],
    ['in no project', `${projects}/${idOf(1)}.jsonl`],
    ['directly in the folder of a conversation', `${projects}/-srv/${idOf(1)}/x.jsonl`],
    ['the folder itself', projects],
    ['nothing', ''],
  ])('does not exist for a file that is %s', (_, path) => {
    expect(keyOfTranscript(path, projects)).toBeUndefined();
  });
});

/** The key under which the official SDK asks a store. */
async function officialKeyOf(dir: string): Promise<string | undefined> {
  const asked: SessionKey[] = [];
  const sessionStore = {
    append: async () => {},
    load: async (key: SessionKey) => {
      asked.push(key);
      return null;
    },
  };
  await official.getSessionMessages(idOf(1), { dir, sessionStore });
  return asked[0]?.projectKey;
}
