import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import { makeResumeFolder, newestInStore, type ResumeFolder } from '../conversations/resume-folder.ts';
import type { SessionStore } from '../conversations/session-store.ts';
import { STORE_CALL_MS } from '../conversations/store-call.ts';
import { storeProject } from '../conversations/store-listing.ts';
import { keyOfTranscript } from '../conversations/transcript-key.ts';
import { TranscriptMirror } from '../conversations/transcript-mirror.ts';
import { launchEnvironment } from '../launch/launch-environment.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import type { IncarnationListener } from '../session/incarnation.ts';
import type { Host } from './host.ts';
import { MirroredListener } from './mirrored-listener.ts';

/** A session and the store its transcripts are copied to: what it begins with, and where its lines go. */
export class StoreLink {
  readonly #store: SessionStore;
  readonly #options: SessionOptions;
  readonly #clock: Clock;
  #folder: ResumeFolder | undefined;
  /** The conversation that came out of the store. */
  #resumed: string | undefined;
  #projects: string | undefined;
  #isDisposed = false;

  constructor(store: SessionStore, options: SessionOptions, clock: Clock) {
    this.#store = store;
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * The options to start a process with. What is resumed comes out of the store once; later processes find it in the same
   * folder, with all that was added, also what the store did not take. Rejects with STORE_FAILED or SPAWN_FAILED.
   */
  async prepare(options: SessionOptions, host: Host, hasConversation: boolean): Promise<SessionOptions> {
    if (this.#folder === undefined && !hasConversation) await this.#bring(host);
    const { continue: _continue, ...rest } = options;
    if (this.#folder !== undefined && this.#resumed !== undefined) {
      const env = { ...options.env, CLAUDE_CONFIG_DIR: this.#folder.path };
      return { ...rest, resume: this.#resumed, env };
    }
    if (options.continue !== true) return options;
    // With a store, `continue` asks the store alone; there is nothing to fork either.
    const { forkSession: _fork, ...fresh } = rest;
    return fresh;
  }

  /** Bringing a conversation takes its time, and that is not the time the operating system may take for a start. */
  timeouts<T extends { readonly spawnMs: number }>(timeouts: T): T {
    const { resume, continue: continues, loadTimeoutMs = STORE_CALL_MS } = this.#options;
    const isBringing = resume !== undefined || continues === true;
    return isBringing ? { ...timeouts, spawnMs: timeouts.spawnMs + loadTimeoutMs } : timeouts;
  }

  /** The environment the process really has says where its transcripts are. */
  launched(env: Readonly<Record<string, string | undefined>>): void {
    this.#projects = join(configDirOf(env), 'projects');
  }

  /** Wraps what hears a process: transcript lines go to the store and to nobody else. */
  mirrored(listener: IncarnationListener): IncarnationListener {
    return new MirroredListener({
      listener,
      keyOf: (path) => (this.#projects === undefined ? undefined : keyOfTranscript(path, this.#projects)),
      mirror: (onError) =>
        new TranscriptMirror({
          store: this.#store,
          flush: this.#options.sessionStoreFlush ?? 'batched',
          clock: this.#clock,
          onError,
        }),
    });
  }

  /** Removes the folder a conversation was resumed from; only when its last process is gone. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#folder?.dispose();
    this.#folder = undefined;
  }

  async #bring(host: Host): Promise<void> {
    const { cwd = '', resume, continue: continues, loadTimeoutMs: deadlineMs } = this.#options;
    if (resume === undefined && continues !== true) return;
    const { projectKey } = await storeProject(resolve(host.cwd, cwd));
    const limits = { deadlineMs, clock: this.#clock };
    const sessionId = resume ?? (await newestInStore(this.#store, projectKey, limits));
    if (sessionId === undefined) return;
    const env = launchEnvironment(host.env, this.#options, '');
    const configDir = resolve(host.cwd, configDirOf(env));
    const folder = await makeResumeFolder({
      store: this.#store,
      key: { projectKey, sessionId },
      source: { configDir, stateDir: env['CLAUDE_CONFIG_DIR'] ? configDir : homeOf(env) },
      parent: resolve(host.cwd, host.env['TMPDIR'] || tmpdir()),
      ...limits,
    });
    // The session may have ended while the store was asked.
    if (this.#isDisposed) await folder?.dispose();
    else this.#folder = folder;
    if (this.#folder !== undefined) this.#resumed = sessionId;
  }
}

function configDirOf(env: Readonly<Record<string, string | undefined>>): string {
  return (env['CLAUDE_CONFIG_DIR'] || join(homeOf(env), '.claude')).normalize('NFC');
}

function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOME'] || homedir();
}
