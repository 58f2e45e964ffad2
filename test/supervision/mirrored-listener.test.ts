import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SessionOutput } from '../../machines/session/session.context.ts';
import type { SessionKey } from '../../src/conversations/session-store.ts';
import { keyOfTranscript } from '../../src/conversations/transcript-key.ts';
import { TranscriptMirror } from '../../src/conversations/transcript-mirror.ts';
import type { IncarnationListener } from '../../src/session/incarnation.ts';
import { MirroredListener } from '../../src/supervision/mirrored-listener.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const PROJECTS = '/config/projects';
const MAIN = `${PROJECTS}/-srv/${ID}.jsonl`;
const OUTPUT = { exit: null } as unknown as SessionOutput;

describe('transcript lines of a process', () => {
  it('go to the store under the key of their file, and to nobody else', async () => {
    const { listener, heard, appends, mirror } = openListener();
    listener.message(frame(MAIN, 1));
    listener.message(frame(`${PROJECTS}/-srv/${ID}/subagents/agent-a1.jsonl`, 2));
    listener.message(message('assistant'));
    await mirror().flush();
    expect(heard).toEqual(['message assistant']);
    expect(appends).toEqual([
      { key: { projectKey: '-srv', sessionId: ID }, lines: 1 },
      { key: { projectKey: '-srv', sessionId: ID, subpath: 'subagents/agent-a1' }, lines: 2 },
    ]);
  });

  it.each([
    ['of a file outside the projects', frame(`/etc/${ID}.jsonl`, 1)],
    ['of a file that a way up leads to', frame(`${PROJECTS}/-srv/../../${ID}.jsonl`, 1)],
    ['without a file', line({ type: 'transcript_mirror', entries: [{ type: 'user' }] })],
    ['without a list of lines', line({ type: 'transcript_mirror', filePath: MAIN, entries: 'all' })],
  ])('are dropped and told when they come %s (P6)', async (_, foreign) => {
    const { listener, heard, appends, mirror } = openListener();
    listener.message(foreign);
    await mirror().flush();
    expect(appends).toEqual([]);
    expect(heard).toEqual(['diagnostic mirror-frame-dropped']);
  });
});

describe('a result', () => {
  it('is heard at once when nothing waits for the store', () => {
    const { listener, heard } = openListener();
    listener.message(message('result'));
    expect(heard).toEqual(['message result']);
  });

  it('is heard when the store has the lines before it; what follows stays behind it, in order', async () => {
    const { listener, heard, answer, appends } = openListener({ holds: true });
    listener.message(frame(MAIN, 1));
    listener.message(message('assistant'));
    listener.message(message('result'));
    listener.message(message('system'));
    listener.message(message('assistant'));
    await nextLoop();
    expect(heard).toEqual(['message assistant']);
    expect(appends).toHaveLength(1);
    await answer();
    expect(heard).toEqual(['message assistant', 'message result', 'message system', 'message assistant']);
  });

  it('waits for its own lines also when it came behind another result that waits', async () => {
    const { listener, heard, answer } = openListener({ holds: true });
    listener.message(frame(MAIN, 1));
    listener.message(message('result'));
    listener.message(frame(MAIN, 1));
    listener.message(message('result'));
    await nextLoop();
    await answer();
    expect(heard).toEqual(['message result']);
    await answer();
    expect(heard).toEqual(['message result', 'message result']);
  });

  it('waits 60 s for a store that does not answer, and comes then all the same (P5)', async () => {
    const { listener, heard, clock } = openListener({ holds: true });
    listener.message(frame(MAIN, 1));
    listener.message(message('result'));
    await nextLoop();
    clock.increment(59_999);
    await nextLoop();
    expect(heard).toEqual([]);
    clock.increment(1);
    await nextLoop();
    expect(heard).toContain('message result');
  });

  it.each([
    ['1 001 messages', () => Array.from({ length: 1_000 }, () => message('assistant'))],
    ['8 MiB', () => [line({ type: 'assistant', text: 'x'.repeat(2 ** 23) })]],
  ])('waits no longer when more than %s would wait with it (P10)', async (_, following) => {
    const { listener, heard } = openListener({ holds: true });
    listener.message(frame(MAIN, 1));
    listener.message(message('result'));
    expect(heard).toEqual([]);
    const others = following();
    for (const one of others) listener.message(one);
    expect(heard).toHaveLength(others.length + 1);
    expect(heard[0]).toBe('message result');
  });
});

describe('the end of a process', () => {
  it('waits for the last lines, and lets go at once of what waited', async () => {
    const { listener, heard, answer } = openListener({ holds: true });
    listener.message(frame(MAIN, 1));
    listener.message(message('result'));
    listener.message(frame(MAIN, 1));
    listener.ended(OUTPUT);
    expect(heard).toEqual(['message result']);
    await answer();
    await answer();
    expect(heard).toEqual(['message result', 'ended']);
  });

  it('is told at once when every line is stored', () => {
    const { listener, heard } = openListener();
    listener.ended(OUTPUT);
    expect(heard).toEqual(['ended']);
  });

  it('comes 60 s later at most when the store does not answer (P5)', async () => {
    const { listener, heard, clock } = openListener({ holds: true });
    listener.message(frame(MAIN, 1));
    listener.ended(OUTPUT);
    await nextLoop();
    clock.increment(60_000);
    await nextLoop();
    expect(heard.at(-1)).toBe('ended');
    expect(heard).toContain('diagnostic mirror-failed');
  });

  it('is explained also by a result that still waits', () => {
    const { listener, heard } = openListener({ holds: true });
    listener.message(frame(MAIN, 1));
    listener.message(message('result'));
    listener.lastErrors();
    expect(heard).toEqual(['message result', 'lastErrors']);
  });
});

describe('lines that the store does not take', () => {
  it('are told as a diagnostic and as the message of the official SDK; the turn goes on', async () => {
    const { listener, heard, clock, messages } = openListener({ fails: true });
    listener.message(frame(MAIN, 3));
    listener.message(message('result'));
    for (const ms of [200, 800]) {
      await nextLoop();
      clock.increment(ms);
    }
    await nextLoop();
    expect(heard).toEqual(['diagnostic mirror-failed', 'message system/mirror_error', 'message result']);
    expect(messages[0]?.value).toMatchObject({
      type: 'system',
      subtype: 'mirror_error',
      key: { projectKey: '-srv', sessionId: ID },
      session_id: ID,
    });
    expect(messages[0]?.value?.['error']).toContain('No room.');
    expect(JSON.parse(messages[0]?.raw.toString() ?? '')).toEqual(messages[0]?.value);
  });
});

function line(value: { type: string } & Record<string, unknown>): CliMessage {
  return new CliMessage(Buffer.from(JSON.stringify(value)), value.type, undefined, value);
}

function message(type: string): CliMessage {
  return line({ type });
}

function frame(filePath: string, lines: number): CliMessage {
  const entries = Array.from({ length: lines }, () => ({ type: 'user' }));
  return line({ type: 'transcript_mirror', filePath, entries });
}

function openListener({ holds = false, fails = false }: { holds?: boolean; fails?: boolean } = {}) {
  const clock = simulatedClock();
  const heard: string[] = [];
  const messages: CliMessage[] = [];
  const appends: { key: SessionKey; lines: number }[] = [];
  const held: (() => void)[] = [];
  let mirror: TranscriptMirror | undefined;
  const inner: IncarnationListener = {
    stateEntered: () => {},
    statePassed: () => {},
    spawned: () => {},
    initialized: () => {},
    run: () => {},
    message: (one) => {
      heard.push(['message', [one.type, one.subtype].filter(Boolean).join('/')].join(' '));
      messages.push(one);
    },
    ended: () => heard.push('ended'),
    idle: () => {},
    watched: () => {},
    overdue: () => {},
    mcpChanged: () => {},
    diagnostic: (reason) => heard.push(`diagnostic ${reason}`),
    stderr: () => {},
    lastErrors: () => {
      heard.push('lastErrors');
      return [];
    },
  };
  const append = (key: SessionKey, entries: readonly unknown[]): Promise<void> => {
    appends.push({ key, lines: entries.length });
    if (fails) return Promise.reject(new Error('No room.'));
    return holds ? new Promise((resolve) => held.push(resolve)) : Promise.resolve();
  };
  const listener = new MirroredListener({
    listener: inner,
    keyOf: (path) => keyOfTranscript(path, PROJECTS),
    mirror: (onError) => {
      mirror = new TranscriptMirror({ store: { append, load: async () => null }, flush: 'batched', clock, onError });
      return mirror;
    },
  });
  /** The store answers the append that waits. */
  const answer = async () => {
    await nextLoop();
    held.shift()?.();
    await nextLoop();
  };
  const theMirror = (): TranscriptMirror => {
    if (mirror === undefined) throw new Error('The listener made no mirror.');
    return mirror;
  };
  return { listener, heard, messages, appends, clock, answer, mirror: theMirror };
}
