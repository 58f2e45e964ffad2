import type { Grant } from '../permissions/grant.ts';
import type { Json, SessionRecord } from '../store/store-record.ts';
import type { Conversation } from './conversation.ts';
import type { RuntimeSettings } from './session-settings.ts';
import { storedFactsOf } from './stored-facts.ts';
import type { StoredOptions } from './stored-options.ts';
import { storedSettingsOf, withheldSettingsOf } from './stored-settings.ts';

/** What a session is at a moment, as far as a restart of the host needs it. */
export interface SessionMoment {
  /** As `session.state` says it. */
  readonly state: string;
  readonly endedAt?: number | undefined;
  readonly options: StoredOptions;
  /** The outermost first. */
  readonly groups: readonly string[];
  readonly settings: RuntimeSettings;
  readonly grants?: readonly Grant[] | undefined;
  readonly conversation: Pick<Conversation, 'cli' | 'completedTurns' | 'recoveries'>;
  /** A live process has the conversation open. */
  readonly hasProcess: boolean;
  /** What its child machine remembers. */
  readonly child: Json;
  /** Moments of the restarts that still count. */
  readonly restarts: readonly number[];
  readonly handedOverAt?: number | undefined;
  /** The last event of the session that had the id before; 0 for none. */
  readonly begunAfter?: number;
  readonly deadlines: Readonly<Record<string, number>>;
}

/** A session as a store keeps it. */
export function storedSessionOf(moment: SessionMoment): SessionRecord {
  const { conversation, options, settings, endedAt, handedOverAt, groups, grants = [], begunAfter = 0 } = moment;
  const { known, conversationIds } = conversation.cli;
  const { conversationId } = known.facts;
  const withheld = [...options.withheld, ...withheldSettingsOf(settings)];
  const isOpen = moment.hasProcess && endedAt === undefined && conversationId !== undefined;
  return {
    kind: 'session',
    state: moment.state,
    ...(endedAt === undefined ? {} : { endedAt }),
    options: options.options,
    ...(withheld.length === 0 ? {} : { withheld }),
    ...(groups.length === 0 ? {} : { groups }),
    settings: storedSettingsOf(settings),
    ...(grants.length === 0 ? {} : { grants }),
    conversationIds,
    ...(isOpen ? { openConversation: conversationId } : {}),
    facts: storedFactsOf(known),
    completedTurns: conversation.completedTurns,
    child: moment.child,
    restarts: moment.restarts,
    ...(conversation.recoveries.length === 0 ? {} : { recoveries: conversation.recoveries }),
    ...(handedOverAt === undefined ? {} : { handedOverAt }),
    ...(begunAfter === 0 ? {} : { begunAfter }),
    deadlines: moment.deadlines,
  };
}
