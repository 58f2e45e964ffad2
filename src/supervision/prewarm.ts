import type { Clock } from '../clock.ts';
import { DEFAULT_TIMEOUTS } from '../launch/defaults.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { removeTemporaryFiles } from '../transport/temporary-files.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { createCodec } from '../wire/create-codec.ts';
import type { AdmissionControl } from './admission.ts';
import { launchKey } from './launch-key.ts';
import { ownConversationOf } from './own-conversation.ts';
import type { PoolEvent } from './pool-event.ts';
import { restartSpec } from './restart-spec.ts';
import type { BuiltSession } from './session-factory.ts';
import { WarmProcess } from './warm-cli.ts';
import { WarmPool } from './warm-pool.ts';
import { assertWarmable } from './warmable.ts';

/** How many processes are kept ready, and how long each. */
export interface PrewarmOptions {
  /** Processes, 1 to 1000; never more than there are free slots. Default 1. */
  readonly count?: number | undefined;
  /** Milliseconds after which a process that nobody took is replaced by a fresh one; `Infinity` for never. Default 600 000. */
  readonly ttlMs?: number | undefined;
}

export interface PrewarmSurroundings {
  readonly clock: Clock;
  readonly open: OpenTransport;
  readonly restart: SessionOptions['restart'];
  readonly timeouts: SessionOptions['timeouts'];
  readonly admission: Pick<AdmissionControl, 'sparePlace'>;
  readonly tell: (event: PoolEvent) => void;
}

export interface WarmConversations {
  /** Each process begins a conversation of its own id, which the session that takes it records before its first prompt. */
  readonly newConversationId: (() => string) | undefined;
}

const DEFAULT_TTL_MS = 600_000;

/** A pool for the launch of that session, which itself is never started. Throws INVALID_OPTIONS for what cannot be warm. */
export function buildPool(
  { session, options, plan }: BuiltSession,
  { count = 1, ttlMs = DEFAULT_TTL_MS }: PrewarmOptions,
  around: PrewarmSurroundings & WarmConversations,
): WarmPool {
  assertWarmable(options);
  const { clock, open, tell } = around;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...around.timeouts, ...options.timeouts };
  const folder = options.configDir ?? options.env?.['CLAUDE_CONFIG_DIR'];
  return new WarmPool({
    id: session.id,
    count,
    ttlMs,
    clock,
    chance: Math.random,
    restart: restartSpec(around.restart, options.restart),
    place: () => around.admission.sparePlace(folder),
    launch: async () => {
      const id = around.newConversationId?.();
      const conversationId = id === undefined ? undefined : ownConversationOf(options, id)?.id;
      const planned = await plan(1, conversationId);
      return { planned, conversationId, key: await launchKey(planned, options.env, conversationId) };
    },
    open: (planned) => new WarmProcess({ planned, open, clock, codec: createCodec(planned.dialect), timeouts }),
    discard: ({ plan: unused }) => removeTemporaryFiles(unused.temporaryFiles),
    tell,
  });
}
