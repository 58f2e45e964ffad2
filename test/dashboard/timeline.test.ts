import { describe, expect, it } from 'vitest';
import { marked, NO_MARKS } from '../../src/dashboard/timeline/marks.ts';
import { PastLog } from '../../src/dashboard/timeline/past-log.ts';
import { applyEvent } from '../../src/view/apply-event.ts';
import { applyToTranscript } from '../../src/view/apply-to-transcript.ts';
import { startView } from '../../src/view/session-view.ts';
import { EMPTY_TRANSCRIPT } from '../../src/view/transcript.ts';
import type { ViewEvent } from '../../src/view/view-event.ts';

const WHO = { id: 'review', groups: [] };

describe('the past of a session on its page', () => {
  it('is the fold of its log up to the chosen event, wherever one goes to (P7)', async () => {
    const events = longLog(1_700);
    const log = new PastLog(serverWith(events), WHO);
    await log.readOn();
    expect([log.firstSeq, log.lastSeq]).toEqual([1, 1_700]);

    for (const seq of [1, 499, 500, 501, 1_234, 1_700, 7]) {
      const known = events.slice(0, seq);
      expect(log.momentAt(seq)).toEqual({
        seq,
        view: known.reduce(applyEvent, startView(WHO)),
        transcript: known.reduce(applyToTranscript, EMPTY_TRANSCRIPT),
      });
    }
  });

  it('grows with the log, each event once', async () => {
    const events = longLog(10);
    const log = new PastLog(serverWith(events), WHO);
    await log.readOn();
    events.push(...longLog(30).slice(10));
    await log.readOn();
    await log.readOn();
    expect(log.lastSeq).toBe(30);
    expect(log.momentAt(30).view).toEqual(longLog(30).reduce(applyEvent, startView(WHO)));
  });
});

describe('the marks of a timeline', () => {
  it('say how long each state, turn, prompt and question was', () => {
    const base = { epoch: 1, at: 0 };
    const events: ViewEvent[] = [
      { ...base, seq: 1, type: 'session.state-changed', state: 'ready', from: 'spawning' },
      { ...base, seq: 2, type: 'prompt.accepted', promptId: 'p', onBusy: 'enqueue' },
      { ...base, seq: 3, type: 'turn.started', promptId: 'p' },
      { ...base, seq: 4, type: 'session.state-changed', state: 'awaiting-permission', from: 'ready' },
      { ...base, seq: 5, type: 'permission.settled', kind: 'tool', requestId: 'unknown', outcome: 'denied', by: 'api' },
      { ...base, seq: 6, type: 'turn.ended', promptIds: ['p'], isError: false, origin: undefined, costUsd: 0 },
      { ...base, seq: 7, type: 'prompt.ended', promptId: 'p', outcome: 'completed' },
    ];
    expect(events.reduce(marked, NO_MARKS)).toEqual({
      states: [
        { from: 1, to: 4, label: 'ready' },
        { from: 4, label: 'awaiting-permission' },
      ],
      turns: [{ from: 3, to: 6, label: 'turn' }],
      prompts: [{ id: 'p', from: 2, to: 7, label: 'prompt', outcome: 'completed' }],
      questions: [],
    });
  });
});

function longLog(count: number): ViewEvent[] {
  return Array.from({ length: count }, (_, index): ViewEvent => {
    const place = { seq: index + 1, epoch: 1, at: index * 10 };
    const promptId = `p${Math.floor(index / 3)}`;
    if (index % 3 === 0) return { ...place, type: 'prompt.accepted', promptId, onBusy: 'enqueue' };
    if (index % 3 === 2) return { ...place, type: 'prompt.ended', promptId, outcome: 'completed' };
    const line = JSON.stringify({
      type: 'assistant',
      message: { id: `m${index}`, content: [{ type: 'text', text: 'x' }] },
    });
    return { ...place, type: 'message', kind: 'assistant', line };
  });
}

/** Answers pages of the log as the server does. */
function serverWith(events: readonly ViewEvent[]) {
  return {
    ask: async (_method: string, path: string) => {
      const query = new URLSearchParams(path.split('?')[1]);
      const [after, limit] = [Number(query.get('after')), Number(query.get('limit'))];
      const page = events.filter(({ seq }) => seq > after).slice(0, limit);
      const last = page.at(-1)?.seq ?? after;
      return { events: page, ...(last < events.length ? { next: last } : {}), lastSeq: events.length };
    },
  };
}
