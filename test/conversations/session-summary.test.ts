import * as official from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import type { SessionStoreEntry, SessionSummaryEntry } from '../../src/conversations/session-store.ts';
import { foldSessionSummary, infoOfSummary } from '../../src/conversations/session-summary.ts';
import { answer, idOf, prompt } from './transcript-disk.ts';

const KEY = { projectKey: '-srv', sessionId: idOf(1) };
const BATCHES: SessionStoreEntry[][] = [
  [{ type: 'mode', mode: 'plan' }, entry(prompt(1, 'Caveat', { isMeta: true }))],
  [entry(prompt(2, '<command-name>/init</command-name>')), entry(prompt(3, '  Hello\nthere '))],
  [entry(answer(4, 'Yes', { gitBranch: 'main' })), { type: 'tag', tag: 'red' }],
  [
    { type: 'ai-title', aiTitle: 'Made' },
    { type: 'last-prompt', lastPrompt: 'Bye' },
  ],
  [
    { type: 'custom-title', customTitle: 'Given' },
    { type: 'summary', summary: 'Sum' },
  ],
  [{ type: 'tag', tag: '' }, entry(prompt(5, 'Later', { cwd: '/elsewhere', gitBranch: 'next' }))],
];

describe('the running summary of a conversation', () => {
  it('is after every batch what the official SDK makes of it', () => {
    let [ours, theirs]: (SessionSummaryEntry | undefined)[] = [];
    BATCHES.forEach((batch, index) => {
      ours = foldSessionSummary(ours, KEY, batch, { mtime: index });
      theirs = official.foldSessionSummary(theirs, KEY, batch, { mtime: index });
      expect(ours).toEqual(theirs);
    });
  });

  it('is the same however the lines are cut into batches', () => {
    const whole = foldSessionSummary(undefined, KEY, BATCHES.flat(), { mtime: 1 });
    const single = BATCHES.flat().reduce<SessionSummaryEntry | undefined>(
      (former, one) => foldSessionSummary(former, KEY, [one], { mtime: 1 }),
      undefined,
    );
    expect(single).toEqual(whole);
  });

  it('keeps what came first where the first counts, and the last elsewhere', () => {
    const { data } = foldSessionSummary(undefined, KEY, BATCHES.flat());
    expect(data).toMatchObject({
      firstPrompt: 'Hello there',
      cwd: '/srv/app',
      gitBranch: 'next',
      customTitle: 'Given',
    });
    expect(data).not.toHaveProperty('tag');
  });

  it('keeps the time of the store, and takes a new one only when it is given', () => {
    const first = foldSessionSummary(undefined, KEY, [], { mtime: 7 });
    expect(foldSessionSummary(first, KEY, []).mtime).toBe(7);
    expect(foldSessionSummary(first, KEY, [], { mtime: 9 }).mtime).toBe(9);
    expect(foldSessionSummary(undefined, KEY, []).mtime).toBe(0);
  });

  it('does not change what it was given', () => {
    const first = foldSessionSummary(undefined, KEY, BATCHES[1] ?? []);
    const copy = structuredClone(first);
    foldSessionSummary(first, KEY, BATCHES.flat());
    expect(first).toEqual(copy);
  });

  it('becomes nothing in a list when it is a side branch, or has no name', () => {
    const aside = foldSessionSummary(undefined, KEY, [entry(prompt(1, 'Aside', { isSidechain: true }))]);
    expect(infoOfSummary(aside, '/srv')).toBeUndefined();
    expect(infoOfSummary(foldSessionSummary(undefined, KEY, [{ type: 'mode' }]), '/srv')).toBeUndefined();
    const named = foldSessionSummary(undefined, KEY, [{ type: 'user', message: { content: 'Hi' } }], { mtime: 5 });
    expect(infoOfSummary(named, '/srv')).toEqual({
      sessionId: idOf(1),
      summary: 'Hi',
      firstPrompt: 'Hi',
      lastModified: 5,
      cwd: '/srv',
    });
  });
});

function entry(row: { type: string }): SessionStoreEntry {
  return { ...row };
}
