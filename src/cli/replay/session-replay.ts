import { SessionId } from '../../api/parameters.ts';
import type { Clock } from '../../clock.ts';
import type { RecordedFrame, RecordedLine, RecordedNote, Recording } from '../../recording/recording.ts';
import { ReplayIds } from '../../replay/replay-ids.ts';
import type { Session } from '../../session/session.ts';
import { createSupervisor, type Supervisor } from '../../supervision/supervisor.ts';
import { type InMemoryPeer, openInMemory } from '../../transport/in-memory-transport.ts';
import { isRecord, parseRecord } from '../../wire/fields.ts';
import { SessionHands } from './session-hands.ts';

export interface SessionReplayOptions {
  /** Of the session; default that of the recording, else `replay`. */
  readonly id?: string;
  readonly clock?: Clock;
  /** Called before each frame, with the milliseconds since the one before: who waits here sets the pace. */
  readonly pace: (gapMs: number, frame: RecordedFrame) => Promise<void>;
}

export interface SessionReplay {
  readonly supervisor: Supervisor;
  readonly session: Session;
  /** Resolves when the whole recording was played. Never rejects. */
  readonly played: Promise<void>;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Nothing of a recording is late. */
const NO_DEADLINES = {
  spawnMs: NEVER,
  initializeMs: NEVER,
  mcpServerMs: NEVER,
  controlMs: NEVER,
  turnMs: NEVER,
  stallMs: NEVER,
  stallInterruptMs: NEVER,
  toolStallMs: NEVER,
  toolStallInterruptMs: NEVER,
  permissionMs: NEVER,
  hookMs: NEVER,
  interruptMs: NEVER,
  idleMs: NEVER,
} as const;
const RESTART_MS = 50;
/** A session that ended for good starts no further process. */
const MOST_TRIES = 20;

/** A session that lives through a recording: it hears what the CLI said then, and does what its host did. No process is started. */
export async function replayInSession(recording: Recording, options: SessionReplayOptions): Promise<SessionReplay> {
  const { clock, id = nameOf(recording) } = options;
  const stage = new Stage(recording);
  const supervisor = createSupervisor({
    ...(clock === undefined ? {} : { clock }),
    spawn: stage.open,
    timeouts: NO_DEADLINES,
    secrets: { shapes: false },
    pathToClaudeCodeExecutable: process.execPath,
  });
  const backoff = { minMs: RESTART_MS, maxMs: RESTART_MS, factor: 1, jitter: 0 };
  const starting = supervisor.start({
    id,
    dialect: 'stream-json',
    includePartialMessages: true,
    onQuota: 'ignore',
    onPromptLost: 'fail',
    restart: stage.processes > 1 ? { type: 'permanent', intensity: 1_000, backoff } : { type: 'temporary' },
  });
  // It becomes ready, or fails, by what the recording says: that is played only now.
  starting.catch(() => {});
  const session = supervisor.session(id) ?? (await starting);
  return { supervisor, session, played: stage.play(session, options) };
}

/** Somebody else may have written the header: what can be no id of a session is none. */
function nameOf({ header }: Recording): string {
  return SessionId.safeParse(header.session).data ?? 'replay';
}

/** The CLI's side, in memory: it says the recorded lines when they are due, with the ids of the host that is there now. */
class Stage {
  readonly processes: number;
  readonly #recording: Recording;
  readonly #requests: readonly { readonly process: number; readonly id: string; readonly subtype: string }[];
  readonly #ids = new ReplayIds();
  /** Control requests of the recording that one of this host stands for already. */
  readonly #taken = new Set<string>();
  #peer: InMemoryPeer | undefined;
  #number = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
    this.processes = recording.frames.reduce((most, { process }) => Math.max(most, process), 1);
    this.#requests = recording.frames.flatMap((frame) => {
      const value = frame.direction === '>' ? parseRecord(frame.bytes.toString()) : undefined;
      const { type, request_id: id, request } = value ?? {};
      if (type !== 'control_request' || typeof id !== 'string' || !isRecord(request)) return [];
      return [{ process: frame.process, id, subtype: String(request['subtype']) }];
    });
  }

  readonly open = openInMemory((peer) => {
    this.#peer = peer;
    this.#number += 1;
    peer.onInput((line) => this.#heard(peer, line));
    peer.onSignal(() => peer.exit({ exitCode: 143, signal: null }));
    void peer.inputEnded.then(() => peer.exit({ exitCode: 0, signal: null }));
  });

  async play(session: Session, { pace }: SessionReplayOptions): Promise<void> {
    const hands = new SessionHands(session);
    const last = this.#recording.frames.at(-1)?.process ?? 1;
    let before = 0;
    for (const frame of this.#recording.frames) {
      await pace(Math.max(0, frame.atMs - before), frame);
      before = Math.max(before, frame.atMs);
      if (frame.process > this.#number) await this.#next(frame, pace);
      if (frame.direction === 'n') this.#happened(frame, session, frame.process === last);
      else if (frame.direction === '>') hands.say(frame.bytes);
      else if (frame.direction === '<') this.#say(frame);
      else this.#peer?.stderr(frame.bytes.toString());
    }
    await pace(0, this.#recording.frames.at(-1) ?? NOTHING);
  }

  #happened({ note }: RecordedNote, session: Session, isLast: boolean): void {
    if (note.kind === 'input-ended' && isLast) void session.close();
    if (note.kind !== 'exit') return;
    // The survey does not note that its host ended the input.
    if (this.#recording.header.origin === 'measured' && note.exitCode === 0 && isLast) void session.close();
    const { exitCode, signal } = note;
    this.#peer?.exit({ exitCode, signal });
  }

  /** The next process of the recording is started when the one before is gone, or never. */
  async #next(frame: RecordedFrame, pace: SessionReplayOptions['pace']): Promise<void> {
    this.#peer?.exit({ exitCode: null, signal: 'SIGKILL' });
    for (let tries = 0; tries < MOST_TRIES && this.#number < frame.process; tries += 1) await pace(RESTART_MS, frame);
  }

  #say({ bytes, isCut }: RecordedLine): void {
    const value = parseRecord(bytes.toString());
    const response = value?.['type'] === 'control_response' ? value['response'] : undefined;
    const id = isRecord(response) ? response['request_id'] : undefined;
    // An answer to what this host never asked would only be strange.
    if (typeof id === 'string' && this.#ids.live(id) === undefined && this.#requests.some((one) => one.id === id))
      return;
    const line = this.#ids.translated(bytes);
    this.#peer?.output(isCut ? line : Buffer.concat([line, Buffer.from('\n')]));
  }

  #heard(peer: InMemoryPeer, line: string): void {
    const { type, request_id: live, request } = parseRecord(line) ?? {};
    if (type !== 'control_request' || typeof live !== 'string' || !isRecord(request)) return;
    const recorded = this.#requests.find(
      ({ process, id, subtype }) =>
        process === this.#number && subtype === request['subtype'] && !this.#taken.has(`${process} ${id}`),
    );
    if (recorded !== undefined) {
      this.#taken.add(`${recorded.process} ${recorded.id}`);
      this.#ids.rebind(recorded.id, live);
      return;
    }
    const response = { subtype: 'success', request_id: live, response: { mcpServers: [] } };
    peer.output(`${JSON.stringify({ type: 'control_response', response })}\n`);
  }
}

const NOTHING: RecordedFrame = { direction: 'n', atMs: 0, process: 1, note: { kind: 'other', text: '' } };
