import { canonicalJson } from '../../src/permissions/canonical-json.ts';
import type { Session } from '../../src/session/session.ts';
import type { ObservedEvent, SessionEvent } from '../../src/store/session-event.ts';
import { applyEvent } from '../../src/view/apply-event.ts';
import { type SessionView, startView } from '../../src/view/session-view.ts';
import type { ViewEvent } from '../../src/view/view-event.ts';

/** An event as it was seen, with what makes it this very one. */
export interface SeenEvent {
  readonly event: SessionEvent;
  readonly digest: string;
}

/** The prompts that waited in a session, when the last event that it had logged was that one. */
export interface Crowd {
  readonly session: Session;
  readonly seq: number;
  readonly waiting: readonly string[];
}

export type Settled = Extract<SessionEvent, { type: 'permission.settled' }>;
type Restarting = Extract<SessionEvent, { type: 'session.restarting' }>;

/** What was seen of one session, by whoever saw it first, over all hosts. */
export class Chronicle {
  readonly id: string;
  readonly events: SeenEvent[] = [];
  readonly #bySeq = new Map<number, SeenEvent>();
  /** What contradicts what was seen before. */
  readonly contradictions: string[] = [];
  /** As the events alone tell it. */
  view: SessionView;
  /** The store fails, and what is logged since then may be lost with the host. */
  isVolatile = false;
  /** Of each incarnation the lines by their names, in order. */
  readonly lines = new Map<number, string[]>();
  readonly promptEnds = new Map<string, string[]>();
  /** Prompts that were said to be on their way to a process, with the event that said so first. */
  readonly delivered = new Map<string, number>();
  /** Queues that seemed to be too long, until it is known what of them waits once more. */
  readonly crowds: Crowd[] = [];
  readonly settlements = new Map<string, Settled[]>();
  readonly restarts: Restarting[] = [];
  #ended = 0;

  constructor(id: string) {
    this.id = id;
    this.view = startView({ id, groups: [] });
  }

  get lastSeq(): number {
    return this.events.at(-1)?.event.seq ?? 0;
  }

  /** How often it has ended: an id may be taken again. */
  get lives(): number {
    return this.#ended;
  }

  see(event: SessionEvent): void {
    const digest = digestOf(event);
    const known = this.#bySeq.get(event.seq);
    if (known !== undefined) {
      if (known.digest !== digest) this.#contradict(`event ${event.seq} was ${known.digest}, and is ${digest}`);
      return;
    }
    if (event.seq !== this.lastSeq + 1) this.#contradict(`event ${event.seq} follows ${this.lastSeq}`);
    const seen = { event, digest };
    this.events.push(seen);
    this.#bySeq.set(event.seq, seen);
    this.view = applyEvent(this.view, viewEventOf(event));
    if (event.type === 'log.volatile') this.isVolatile = true;
    if (event.type === 'log.durable') this.isVolatile = false;
    if (event.type === 'session.ended') this.#ended += 1;
    if (event.type === 'session.restarting') this.restarts.push(event);
    if (event.type === 'prompt.delivered' && !this.delivered.has(event.promptId))
      this.delivered.set(event.promptId, event.seq);
    if (event.type === 'prompt.ended') listedIn(this.promptEnds, event.promptId).push(event.outcome);
    if (event.type === 'permission.settled') listedIn(this.settlements, event.requestId).push(event);
    if (event.type === 'message') this.#name(event);
  }

  at(seq: number): SeenEvent | undefined {
    return this.#bySeq.get(seq);
  }

  /** The host was lost, and with it what no store had. */
  forgetBehind(seq: number): void {
    const kept = this.events.filter(({ event }) => event.seq <= seq);
    this.events.length = 0;
    this.#bySeq.clear();
    this.view = startView({ id: this.id, groups: [] });
    this.isVolatile = false;
    this.#ended = 0;
    for (const index of [this.lines, this.promptEnds, this.delivered, this.settlements]) index.clear();
    this.restarts.length = 0;
    for (const { event } of kept) this.see(event);
  }

  #name({ epoch, message }: Extract<SessionEvent, { type: 'message' }>): void {
    const [, name] = /"uuid":"([^"]*-l\d+)"/.exec(message.raw.toString('latin1').slice(-200)) ?? [];
    if (name !== undefined) listedIn(this.lines, epoch).push(name);
  }

  #contradict(words: string): void {
    this.contradictions.push(`${this.id}: ${words}`);
  }
}

function listedIn<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Everything that makes an event what it is. */
export function digestOf(event: ObservedEvent): string {
  if (event.type !== 'message') return canonicalJson(JSON.parse(JSON.stringify(event)));
  const { seq, epoch, at, message } = event;
  return `message ${seq} ${epoch} ${at} ${message.raw.toString('latin1')}`;
}

function viewEventOf(event: SessionEvent): ViewEvent {
  if (event.type !== 'message') return event;
  const { seq, epoch, at, message } = event;
  const { type: kind, subtype } = message;
  const line = message.raw.toString('utf8');
  return { type: 'message', seq, epoch, at, kind, ...(subtype === undefined ? {} : { subtype }), line };
}
