import type { PlannedLaunch } from '../launch/launch-plan.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { PrewarmCall, parseCall } from '../session/call-options.ts';
import { removeTemporaryFiles } from '../transport/temporary-files.ts';
import type { LaunchPlan, OpenTransport, Transport, TransportListeners } from '../transport/transport.ts';
import type { AdmissionControl } from './admission.ts';
import { launchKey } from './launch-key.ts';
import type { OwnConversation } from './own-conversation.ts';
import { buildPool, type PrewarmOptions, type PrewarmSurroundings, type WarmConversations } from './prewarm.ts';
import type { BuiltSession } from './session-factory.ts';
import type { PrewarmedPool, WarmPool } from './warm-pool.ts';

/** How one process of a session is planned and started. */
export interface Launcher {
  readonly plan: () => Promise<PlannedLaunch>;
  readonly open: OpenTransport;
}

/** With what a process is wanted. */
interface Wish {
  readonly plan: LaunchPlan;
  readonly initialize: Record<string, unknown>;
  readonly dialect: PlannedLaunch['dialect'];
  readonly env: SessionOptions['env'];
  /** Goes by the id of whichever process is taken. */
  readonly own: OwnConversation | undefined;
}

export interface WarmPoolsOptions extends PrewarmSurroundings {
  readonly admission: AdmissionControl;
}

/** All pools of a supervisor, and the way of each start past them. */
export class WarmPools {
  readonly #options: WarmPoolsOptions;
  readonly #pools = new Set<WarmPool>();
  #isLending = false;

  constructor(options: WarmPoolsOptions) {
    this.#options = options;
  }

  /**
   * A pool for the launch of that session, which itself is never started. Rejects with INVALID_OPTIONS, or with the reason
   * of a failure when not one process could start; resolves with a closed pool when all were closed meanwhile.
   */
  async prewarm(built: BuiltSession, input: PrewarmOptions, about: WarmConversations): Promise<PrewarmedPool> {
    const pool = buildPool(built, parseCall(PrewarmCall, input, 'options'), { ...this.#options, ...about });
    this.#pools.add(pool);
    const handle = pool.handle(() => this.#pools.delete(pool));
    const [failure] = await pool.fill();
    if (failure === undefined || handle.ready > 0 || handle.state === 'closed') return handle;
    await handle.close();
    throw failure;
  }

  /** For one process of a session: a warm one that is like it, whose conversation becomes its `own`, else a fresh one. */
  launcher(sessionId: string, env: SessionOptions['env'], plan: Launcher['plan'], own?: OwnConversation): Launcher {
    let planned: Pick<PlannedLaunch, 'initialize' | 'dialect'> = { initialize: {}, dialect: 'auto' };
    return {
      plan: async () => {
        const made = await plan();
        // The environment in its plan would be kept as long as the process lives.
        planned = { initialize: made.initialize, dialect: made.dialect };
        return made;
      },
      open: async (launch, listeners) => {
        const exchanged = own?.isExchangeable === true ? own : undefined;
        own?.use();
        if (this.#pools.size === 0) return this.#options.open(launch, listeners);
        const { initialize, dialect } = planned;
        const wish = { plan: launch, initialize, dialect, env, own: exchanged };
        const warm = await this.#take(wish, sessionId, listeners);
        if (warm !== undefined) return warm;
        await Promise.all([...this.#pools].map((pool) => pool.clearLent()));
        return this.#options.open(launch, listeners);
      },
    };
  }

  /** Somebody waits for a slot or for memory: slots of warm processes are given to those who wait. */
  lend(): void {
    // A slot that is given back is taken in the same breath, and whoever still waits asks again.
    if (this.#isLending) return;
    this.#isLending = true;
    for (const pool of this.#pools) while (this.#isWanted() && pool.lend());
    // Memory becomes free only when a process is gone, and how much is not known before: one by one.
    if (this.#options.admission.lacksMemory) [...this.#pools].some((pool) => pool.shed());
    this.#isLending = false;
  }

  /** There may be room for more. */
  fill(): void {
    for (const pool of this.#pools) void pool.fill();
  }

  async close(isHurried: boolean): Promise<void> {
    await Promise.all([...this.#pools].map((pool) => pool.close({ isHurried })));
  }

  #isWanted(): boolean {
    return this.#options.admission.shortage().anywhere > 0 && !this.#options.admission.lacksMemory;
  }

  async #take(
    { plan, initialize, dialect, env, own }: Wish,
    sessionId: string,
    listeners: TransportListeners,
  ): Promise<Transport | undefined> {
    // Whose files cannot be read fits nothing; the start itself will say what is wrong.
    const key = await launchKey({ plan, initialize, dialect }, env, own?.id).catch(() => undefined);
    if (key === undefined) return undefined;
    for (const pool of this.#pools) {
      for (let seat = pool.pick(key); seat !== undefined; seat = pool.pick(key)) {
        const isTaken = (await seat.warm?.claim()) === true;
        if (isTaken) await removeTemporaryFiles(plan.temporaryFiles);
        const transport = isTaken ? seat.warm?.handOver(listeners) : undefined;
        if (transport !== undefined) own?.use(seat.conversationId);
        await pool.settle(seat, transport === undefined ? undefined : sessionId);
        if (transport !== undefined) return transport;
      }
    }
    return undefined;
  }
}
