import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import { openSubprocess } from '../../transport/subprocess-transport.ts';
import type { LaunchPlan, Transport } from '../../transport/transport.ts';
import { isRecord, parseRecord } from '../../wire/fields.ts';
import { LineSplitter } from '../../wire/line-splitter.ts';
import { streamJson } from '../../wire/stream-json/codec.ts';
import { kindOf } from './line-kind.ts';
import type { SeenLine } from './observation.ts';

export type Line = Readonly<Record<string, unknown>>;
type Waiter = { readonly look: () => void };

/** After its scene a process has this long to go by itself, and as long again to be seen gone. */
const LEAVE_MS = 10_000;
const TAIL_CHARACTERS = 200;
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** What the script answers when the CLI asks; undefined is answered with an error. */
export type Answers = (subtype: string, request: Line) => unknown;

/** One process of the CLI, spoken to line by line, with all that it said. */
export class CliPeer {
  /** In the order of their coming; its exit is the last. */
  readonly lines: SeenLine[] = [];
  readonly #answers: Answers;
  readonly #anchorMs: number;
  readonly #clock: Clock;
  readonly #asked = new Map<unknown, string>();
  readonly #waiters = new Set<Waiter>();
  #transport: Transport | undefined;
  #requests = 0;
  #exit: { readonly code: number | null; readonly signal: string | null } | undefined;

  private constructor(options: { answers: Answers; anchorMs: number; clock: Clock }) {
    this.#answers = options.answers;
    this.#anchorMs = options.anchorMs;
    this.#clock = options.clock;
  }

  static async open(plan: LaunchPlan, options: { answers: Answers; anchorMs: number; clock: Clock }): Promise<CliPeer> {
    const peer = new CliPeer(options);
    const splitter = new LineSplitter();
    peer.#transport = await openSubprocess(plan, {
      output: (chunk) => void splitter.push(chunk, (line) => peer.#hear(line)),
      stderr: () => {},
    });
    void peer.#transport.finished.then(({ exitCode, signal }) => {
      peer.#exit = { code: exitCode, signal };
      if (exitCode !== 0) peer.#complain();
      peer.lines.push({ kind: 'exit', value: peer.#exit });
      peer.#tell();
    });
    return peer;
  }

  /** A prompt with an id of its own. */
  prompt(content: string): void {
    this.write(streamJson.encodePrompt({ uuid: randomUUID(), content }));
  }

  /** Asks, and resolves with the envelope of the answer, whatever it says. */
  async ask(subtype: string, payload: Line = {}): Promise<Line> {
    this.#requests += 1;
    const requestId = `drift-${this.#requests}`;
    this.#asked.set(requestId, subtype);
    this.write(streamJson.encodeRequest(requestId, { ...payload, subtype }));
    return this.until(`${subtype} answered`, (line) => {
      const { response } = line;
      return line['type'] === 'control_response' && isRecord(response) && response['request_id'] === requestId;
    });
  }

  write(line: string): void {
    // A process that is gone is told by the anchor that does not come.
    void this.#transport?.write(line).catch(() => {});
  }

  endInput(): void {
    this.#transport?.endInput();
  }

  /** The first line, heard already or to come, that fits. Rejects with ANCHOR_LOST at the end of the process or of the time. */
  async until(anchor: string, fits: (line: Line) => boolean): Promise<Line> {
    const found = () => this.lines.find(({ kind, value }) => kind !== 'exit' && isRecord(value) && fits(value));
    await this.#until(anchor, () => found() !== undefined);
    const value = found()?.value;
    return isRecord(value) ? value : {};
  }

  async exited(): Promise<void> {
    await this.#until('exit', () => this.#exit !== undefined);
  }

  stderr(): string {
    return this.#transport?.stderrTail() ?? '';
  }

  /** Ends whatever is left of it. */
  async close(): Promise<void> {
    this.endInput();
    await this.#transport?.killTree(LEAVE_MS);
  }

  #until(anchor: string, holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: TroupeError) => {
        this.#clock.clearTimeout(timer);
        this.#waiters.delete(waiter);
        if (error === undefined) resolve();
        else reject(error);
      };
      const look = () => {
        if (holds()) settle();
        else if (this.#exit !== undefined) settle(this.#lost(anchor, 'the process ended'));
      };
      const waiter = { look };
      const timer = this.#clock.setTimeout(
        () => settle(this.#lost(anchor, `nothing of the kind in ${this.#anchorMs} ms`)),
        this.#anchorMs,
      );
      this.#waiters.add(waiter);
      look();
    });
  }

  #lost(anchor: string, why: string): TroupeError {
    const last = this.lines.at(-1)?.kind ?? 'nothing';
    const stderr = this.stderr().trim().slice(-TAIL_CHARACTERS);
    const reason = `${why}; heard last: ${last}${stderr === '' ? '' : `; stderr: ${JSON.stringify(stderr)}`}`;
    return new TroupeError('ANCHOR_LOST', { reason, details: { anchor, reason } });
  }

  #hear(bytes: Buffer): void {
    const text = bytes.toString('utf8');
    if (text.trim() === '') return;
    const line = parseRecord(text);
    if (line === undefined) {
      this.lines.push({ kind: 'no JSON', value: text });
    } else {
      this.lines.push({ kind: kindOf(line, (id) => this.#asked.get(id)), value: line });
      if (line['type'] === 'control_request') this.#answer(line);
    }
    this.#tell();
  }

  #answer({ request_id: requestId, request }: Line): void {
    if (typeof requestId !== 'string' || !isRecord(request)) return;
    const subtype = String(request['subtype']);
    const answer = this.#answers(subtype, request);
    // The echo of an answer (WIRE §11) is known by the same id.
    this.#asked.set(requestId, `echo of ${subtype}`);
    this.write(
      answer === undefined
        ? streamJson.encodeError(requestId, 'The script has no answer to this.')
        : streamJson.encodeSuccess(requestId, answer),
    );
  }

  /** What it says on stderr when it fails is read by whoever explains the failure: the last line, without its ids. */
  #complain(): void {
    const line = this.stderr().trim().split('\n').at(-1) ?? '';
    const words = line.trim().replaceAll(UUID, '<id>').slice(0, TAIL_CHARACTERS);
    if (words !== '') this.lines.push({ kind: `stderr/${words}`, value: words });
  }

  #tell(): void {
    for (const { look } of [...this.#waiters]) look();
  }
}
