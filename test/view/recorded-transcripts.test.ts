import { describe, expect, it } from 'vitest';
import { applyEvent } from '../../src/view/apply-event.ts';
import { applyToTranscript } from '../../src/view/apply-to-transcript.ts';
import { startView } from '../../src/view/session-view.ts';
import { EMPTY_TRANSCRIPT, type Transcript } from '../../src/view/transcript.ts';
import type { ViewEvent } from '../../src/view/view-event.ts';
import { CORPUS, isThere, readRecording, SURVEY, scenariosOf } from '../wire/recordings.ts';

/** The complete survey where it lies beside the project, else what travels with the code. */
const RECORDED = scenariosOf(isThere(SURVEY) ? SURVEY : CORPUS);

describe('the transcript of every recorded conversation (P6, P7)', () => {
  it.each([...RECORDED])(
    'of %s: read in two parts it is that of the whole, and nothing stays open',
    (_version, files) => {
      for (const file of files) {
        const events = eventsOf(file);
        const whole = folded(events);
        for (const part of [0.2, 0.5, 0.8]) {
          const cut = Math.floor(events.length * part);
          const half = folded(events.slice(0, cut));
          expect(folded(events.slice(Math.max(0, cut - 5)), half), file).toEqual(whole);
        }
        const ids = whole.items.map(({ id }) => id);
        expect(new Set(ids).size, file).toBe(ids.length);
        expect(JSON.parse(JSON.stringify(whole)), file).toEqual(whole);
        const over = folded([...events, closed(events.length + 1)]);
        const open = over.items.filter((item) => ('isStreaming' in item && item.isStreaming) || isOpen(item));
        expect(open, file).toEqual([]);
        expect(events.reduce(applyEvent, startView({ id: 'a', groups: [] })).seq).toBe(events.length);
      }
    },
  );

  it('has every answer, every result, and every place where it was made shorter', () => {
    for (const file of [...RECORDED.values()].flat()) {
      const events = eventsOf(file);
      const count = (kind: string, subtype?: string) =>
        events.filter(
          (event) => event.type === 'message' && event.kind === kind && (subtype ?? event.subtype) === event.subtype,
        ).length;
      const { items, dropped } = folded(events);
      if (dropped > 0) continue;
      const shown = (kind: string) => items.filter((item) => item.kind === kind).length;

      expect(shown('result'), file).toBe(count('result'));
      expect(shown('compact'), file).toBe(count('system', 'compact_boundary'));
      const uses = toolUsesOf(events);
      const tools = new Map(items.flatMap((item) => (item.kind === 'tool' ? [[item.toolUseId, item.parent]] : [])));
      for (const [id, parent] of uses)
        expect([file, id, tools.has(id), tools.get(id)]).toEqual([file, id, true, parent]);
    }
  });
});

function eventsOf(file: string): ViewEvent[] {
  const said = readRecording(file).filter(({ direction }) => direction === '<');
  const lines = said
    .map(({ message }) => message)
    .filter(({ type }) => typeof type === 'string' && !/^control_/.test(type));
  return lines.map((message, index) => {
    const { type, subtype } = message;
    const named = typeof subtype === 'string' ? { subtype } : {};
    const place = { seq: index + 1, epoch: 1, at: index };
    return { type: 'message', kind: String(type), ...named, line: JSON.stringify(message), ...place };
  });
}

/** The tool uses of whole messages, with the tool use of the subagent that they are of. */
function toolUsesOf(events: readonly ViewEvent[]): [string, string | undefined][] {
  return events.flatMap((event): [string, string | undefined][] => {
    if (event.type !== 'message' || event.kind !== 'assistant') return [];
    const { message, parent_tool_use_id: parent } = JSON.parse(event.line);
    const blocks: { type: string; id: string }[] = Array.isArray(message?.content) ? message.content : [];
    return blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => [id, parent ?? undefined]);
  });
}

function folded(events: readonly ViewEvent[], from: Transcript = EMPTY_TRANSCRIPT): Transcript {
  return events.reduce(applyToTranscript, from);
}

function closed(seq: number): ViewEvent {
  return { type: 'session.state-changed', state: 'closed', from: 'closing', seq, epoch: 1, at: seq };
}

function isOpen(item: Transcript['items'][number]): boolean {
  return item.kind === 'tool' && (item.status === 'streaming' || item.status === 'running' || item.status === 'asking');
}
