import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** How far a prompt got. */
export type PromptState = 'queued' | 'started' | 'completed' | 'cancelled';

interface MemoryRow {
  readonly uuid?: string;
  readonly state?: PromptState;
  readonly costUsd?: number;
  /** Its turn got as far as a tool. */
  readonly hasTool?: true;
  /** The process that wrote it. */
  readonly pid?: number;
}

/** The sessions one fake has seen, on disk: `--resume` finds them, and what became of each prompt (WIRE §11, §12). */
export class SessionMemory {
  readonly #folder: string;
  readonly #isPersistent: boolean;
  readonly #states = new Map<string, PromptState>();
  /** Prompts of an earlier process. */
  readonly #inherited = new Map<string, PromptState>();
  readonly #withTool = new Set<string>();
  #path: string;
  #costUsd = 0;
  #lastPid: number | undefined;

  constructor(folder: string, sessionId: string, isPersistent: boolean) {
    this.#folder = folder;
    this.#isPersistent = isPersistent;
    this.#path = join(folder, `${sessionId}.jsonl`);
  }

  static exists(folder: string, sessionId: string): boolean {
    return /^[\w-]+$/.test(sessionId) && existsSync(join(folder, `${sessionId}.jsonl`));
  }

  static latest(folder: string): string | undefined {
    if (!existsSync(folder)) return undefined;
    const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    const byAge = names.map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs })).sort((a, b) => b.at - a.at);
    return byAge[0]?.name.slice(0, -'.jsonl'.length);
  }

  /** Takes over what an earlier process left; returns the cost so far, USD. */
  inherit(sessionId: string): number {
    const path = join(this.#folder, `${sessionId}.jsonl`);
    if (!existsSync(path)) return 0;
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      if (line === '') continue;
      const record = JSON.parse(line) as MemoryRow;
      if (record.uuid !== undefined && record.state !== undefined) this.#inherited.set(record.uuid, record.state);
      if (record.uuid !== undefined && record.hasTool === true) this.#withTool.add(record.uuid);
      this.#costUsd = record.costUsd ?? this.#costUsd;
      this.#lastPid = record.pid ?? this.#lastPid;
    }
    return this.#costUsd;
  }

  /** The process that wrote last to what was taken over. */
  get lastPid(): number | undefined {
    return this.#lastPid;
  }

  rename(sessionId: string): void {
    this.#path = join(this.#folder, `${sessionId}.jsonl`);
  }

  /** What is known of a prompt, and whether an earlier process did it. */
  recall(uuid: string): { state: PromptState; isInherited: boolean; hasTool: boolean } | undefined {
    const hasTool = this.#withTool.has(uuid);
    const own = this.#states.get(uuid);
    if (own !== undefined) return { state: own, isInherited: false, hasTool };
    const inherited = this.#inherited.get(uuid);
    return inherited === undefined ? undefined : { state: inherited, isInherited: true, hasTool };
  }

  /** Notes a prompt; one without uuid only makes the session exist. */
  note(uuid: string | undefined, state: PromptState): void {
    if (uuid !== undefined) this.#states.set(uuid, state);
    this.#append(uuid === undefined ? {} : { uuid, state });
  }

  /** Notes that the turn of these prompts wants a tool: should it be cut off, it is not taken up again (WIRE §15). */
  noteTool(uuids: readonly string[]): void {
    for (const uuid of uuids) this.#append({ uuid, hasTool: true });
  }

  noteCost(costUsd: number): void {
    if (existsSync(this.#path)) this.#append({ costUsd });
  }

  #append(record: MemoryRow): void {
    if (!this.#isPersistent) return;
    mkdirSync(this.#folder, { recursive: true });
    appendFileSync(this.#path, `${JSON.stringify({ ...record, pid: process.pid })}\n`);
  }
}
