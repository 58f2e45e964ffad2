import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardExit } from './exit-guard.ts';
import { readInheritance } from './inheritance.ts';
import { ownedFolderPrefix } from './owned-folder.ts';
import { SpawnedChild } from './spawned-child.ts';
import { greeting, type HostWord, type SpawnerWord, TOKEN_LENGTH } from './spawner-words.ts';
import type { StartedChild } from './started-child.ts';
import { removeTemporaryFilesNow } from './temporary-files.ts';
import type { LaunchPlan } from './transport.ts';

/** How long a spawner may take to begin, to start one process, and to tell the end of one that is gone, unless told otherwise. */
const ANSWER_MS = 10_000;
/** So many looks are taken meanwhile: while this process stands still itself it takes none, and that is no silence of the spawner. */
const LOOKS = 10;
/** … and so many times as long one start may take while it is busy with others. Its program waits for no pipe longer than that. */
const LONGEST_ANSWERS = 5;
/** An address of a socket in the file system may have 107 bytes. */
const LONGEST_PATH_BYTES = 107;

export interface SpawnerOptions {
  /** Where its private folder is made. */
  readonly folder: string;
  /** Milliseconds that it may say nothing while it owes a word about a start or an end; else it is ended and counts as lost. Default 10 000. */
  readonly answerMs?: number;
  /** Hears, once, that it is lost and was not asked to go. Default: nobody. */
  readonly onLost?: () => void;
}

type Outcome = StartedChild | 'lost' | { readonly code: string };

/** Its own beginning, among the ids of orders. */
const BEGIN = 0;

interface Pending {
  readonly sockets: readonly Socket[];
  readonly settle: (outcome: Outcome) => void;
}

/**
 * A small process that starts others for this one, which would stand still for each because it is big: a fork copies the
 * tables of all its memory. Their pipes are connections to this process, so that they go with it and not with the spawner;
 * who ended, and how, the spawner tells. It ends with this process, and leaves alone whom it started.
 */
export class Spawner {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #path: string;
  readonly #token = randomBytes(TOKEN_LENGTH / 2).toString('hex');
  readonly #answerMs: number;
  readonly #onLost: () => void;
  readonly #inheritance = readInheritance();
  readonly #ready: Promise<boolean>;
  readonly #pending = new Map<number, Pending>();
  readonly #living = new Map<number, SpawnedChild>();
  readonly #unguard: () => void;
  #tellReady: (isReady: boolean) => void = () => {};
  #nextId = 1;
  /** What it owes a word about, an order or an end, and how many looks ago that began. */
  readonly #owed = new Map<number, number>();
  #silentLooks = 0;
  #timer: NodeJS.Timeout | undefined;
  #isLost = false;
  #isRetired = false;
  #hasNoOrders = false;

  constructor({ folder, answerMs = ANSWER_MS, onLost = () => {} }: SpawnerOptions) {
    this.#answerMs = answerMs;
    this.#onLost = onLost;
    this.#folder = mkdtempSync(join(folder, ownedFolderPrefix('troupe-')));
    this.#path = join(this.#folder, 's');
    this.#unguard = guardExit({
      killNow: () => this.#endNow(),
      cleanUpNow: () => removeTemporaryFilesNow([this.#folder]),
    });
    // Without the variables of this process: whom it starts is given all of its own, and they may hold secrets (P11).
    this.#child = spawn(process.execPath, [programPath()], {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
    });
    this.#ready = new Promise((resolve) => {
      this.#tellReady = resolve;
    });
    this.#child.on('message', (word) => this.#hear(word as SpawnerWord));
    // Everything that it said comes before.
    this.#child.on('disconnect', () => this.#lose());
    this.#child.on('error', () => this.#lose());
    this.#begin();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** True when it may start one more process: it lives, and passes on what this process itself would. */
  get isFit(): boolean {
    return !this.#isLost && !this.#isRetired && this.#inheritance === readInheritance();
  }

  /**
   * Starts the process of a plan. `lost`: the spawner is, and whether there is such a process nobody knows. Rejects with what
   * the system said, under its `code`.
   */
  async start(plan: LaunchPlan, env: Readonly<Record<string, string>>): Promise<StartedChild | 'lost'> {
    if (!(await this.#ready) || this.#isLost) return 'lost';
    const { command, args, cwd } = plan;
    const id = this.#nextId;
    this.#nextId += 1;
    const outcome = await new Promise<Outcome>((settle) => {
      const sockets = this.#connectAll(id);
      this.#pending.set(id, { sockets, settle });
      this.#expectWord(id);
      this.#holdHost();
      this.#say({ type: 'start', id, command, args, cwd, env });
    });
    this.#forget(id, outcome instanceof SpawnedChild);
    if (outcome !== 'lost' && 'code' in outcome) return Promise.reject(outcome);
    return outcome;
  }

  /** It owes a word about that: it is lost when it says nothing at all, and with many orders the last one takes its time. */
  #expectWord(about: number): void {
    this.#owed.set(about, 0);
    if (this.#timer !== undefined) return;
    this.#silentLooks = 0;
    this.#lookLater();
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => {
      this.#silentLooks += 1;
      for (const [about, looks] of this.#owed) this.#owed.set(about, looks + 1);
      const longest = Math.max(...this.#owed.values());
      if (this.#silentLooks >= LOOKS || longest >= LOOKS * LONGEST_ANSWERS) this.#lose();
      else this.#lookLater();
    }, this.#answerMs / LOOKS);
  }

  #heardOf(about: number): void {
    if (!this.#owed.delete(about) || this.#owed.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #forget(id: number, keepsSockets: boolean): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    this.#heardOf(id);
    if (!keepsSockets) for (const socket of pending?.sockets ?? []) socket.destroy();
    this.#holdHost();
    if (this.#isRetired) this.retire();
  }

  /** Takes no more orders, and ends as soon as nobody is left whose end it would have to tell. */
  retire(): void {
    this.#isRetired = true;
    if (this.#pending.size === 0 && this.#living.size === 0) this.#lose();
  }

  #begin(): void {
    const isTooLong = Buffer.byteLength(this.#path) > LONGEST_PATH_BYTES;
    if (isTooLong || this.#child.pid === undefined) {
      this.#lose();
      return;
    }
    this.#say({ type: 'begin', path: this.#path, token: this.#token });
    this.#expectWord(BEGIN);
    this.#holdHost();
  }

  #hear(word: SpawnerWord): void {
    this.#silentLooks = 0;
    switch (word.type) {
      case 'ready':
        this.#heardOf(BEGIN);
        this.#tellReady(true);
        return;
      case 'started':
        this.#pending.get(word.id)?.settle(this.#adopt(word));
        return;
      case 'failed':
        this.#pending.get(word.id)?.settle({ code: word.errno });
        return;
      case 'exited':
        this.#living.get(word.id)?.ended({ exitCode: word.exitCode, signal: word.signal });
    }
  }

  #adopt({ id, pid, startTime }: Extract<SpawnerWord, { type: 'started' }>): StartedChild | 'lost' {
    const [stdin, stdout, stderr] = this.#pending.get(id)?.sockets ?? [];
    if (stdin === undefined || stdout === undefined || stderr === undefined) return 'lost';
    const child = new SpawnedChild({ pid, startTime, stdin, stdout, stderr, onGone: () => this.#expectWord(id) });
    this.#living.set(id, child);
    void child.exited.then(() => {
      this.#living.delete(id);
      this.#heardOf(id);
      this.#holdHost();
      if (this.#isRetired) this.retire();
    });
    return child;
  }

  /** Their listener lives as long as they do: nothing of the plan may hang on it. */
  #connectAll(id: number): Socket[] {
    const onError = () => this.#pending.get(id)?.settle('lost');
    return [0, 1, 2].map((descriptor) => this.#connect(id, descriptor, onError));
  }

  #connect(id: number, descriptor: number, onError: () => void): Socket {
    // Only of stdin does this process end its side first; the others are over when the process says so.
    const socket = connect({ path: this.#path, allowHalfOpen: descriptor === 0 });
    // What the process says waits in the kernel until somebody listens.
    socket.pause();
    socket.on('error', onError);
    socket.write(greeting(this.#token, id, descriptor));
    return socket;
  }

  #say(word: HostWord): void {
    if (!this.#isLost) this.#child.send(word, () => {});
  }

  /** The end of it, for whatever reason. Whom it started lives on; that they end is seen by other means. */
  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    if (!this.#isRetired) this.#onLost();
    this.#child.kill('SIGKILL');
    clearTimeout(this.#timer);
    this.#tellReady(false);
    for (const { settle } of this.#pending.values()) settle('lost');
    for (const child of this.#living.values()) child.orphan();
    this.#unguard();
    removeTemporaryFilesNow([this.#folder]);
  }

  /** It starts nobody any more: the next look at the table finds everyone (P1). */
  #endNow(): number {
    if (this.#hasNoOrders) return 0;
    this.#hasNoOrders = true;
    this.#child.kill('SIGKILL');
    return 1;
  }

  /** This process stays while it waits for a word, and is not kept by a spawner with nothing to tell. */
  #holdHost(): void {
    const verb = this.#pending.size + this.#living.size > 0 ? 'ref' : 'unref';
    this.#child[verb]();
    this.#child.channel?.[verb]();
  }
}

/** The compiled program: the neighbour of this module, or its counterpart in `dist` when this runs from the sources. */
function programPath(): string {
  const neighbour = fileURLToPath(new URL('./spawner-program.js', import.meta.url));
  return existsSync(neighbour)
    ? neighbour
    : fileURLToPath(new URL('../../dist/src/transport/spawner-program.js', import.meta.url));
}
