import { randomBytes } from 'node:crypto';
import { type PlannedLaunch, planLaunch } from '../launch/launch-plan.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { refuseBegun } from '../session/begun-work.ts';
import type { Conversation } from '../session/conversation.ts';
import type { RuntimeSettings } from '../session/session-settings.ts';
import type { EventLog } from '../store/event-log.ts';
import { guardOwnFolders } from '../transport/owned-folder.ts';
import { currentHost, temporaryFolder } from './host.ts';
import type { StoreLink } from './store-link.ts';

export interface IncarnationPlanInput {
  readonly id: string;
  readonly number: number;
  readonly options: SessionOptions;
  readonly settings: RuntimeSettings;
  readonly conversation: Pick<Conversation, 'facts' | 'ledger'>;
  readonly log: EventLog;
  readonly stderrTailBytes: number;
  readonly mcpTimeoutMs: number;
  /** Where the conversation comes from and goes to, besides the disk. */
  readonly storeLink?: StoreLink | undefined;
  /** Further fields of the `initialize` request: what is registered once per session. */
  readonly registrations: Record<string, unknown>;
}

/**
 * What a process of the session is started with. The first follows the options; a later one resumes the conversation in
 * the mode and with the model that ruled when its predecessor was lost (P8).
 */
export async function planIncarnation(input: IncarnationPlanInput): Promise<PlannedLaunch> {
  const unguard = guardOwnFolders(temporaryFolder);
  try {
    return await plan(input);
  } finally {
    unguard();
  }
}

async function plan(input: IncarnationPlanInput): Promise<PlannedLaunch> {
  const { id, number, settings, conversation, stderrTailBytes, mcpTimeoutMs, registrations } = input;
  const { conversationId } = conversation.facts;
  const host = currentHost();
  const options = (await input.storeLink?.prepare(input.options, host, conversationId !== undefined)) ?? input.options;
  if (settings.permissionMode !== undefined) settings.permissionMode = allowedMode(settings.permissionMode, options);
  const { model: _model, ...withoutModel } = options;
  const planned = await planLaunch({
    options: settings.model === null ? withoutModel : options,
    sessionId: id,
    incarnation: number,
    ...(number > 1 && conversationId !== undefined ? { resume: conversationId } : {}),
    settings: { model: settings.model ?? undefined, permissionMode: settings.permissionMode },
    host,
    stderrTailBytes,
    mcpTimeoutMs,
    token: randomBytes(8).toString('hex'),
  });
  input.storeLink?.launched(planned.plan.env);
  await refuseBegun(conversation.ledger, input.log);
  return { ...planned, initialize: { ...planned.initialize, ...registrations } };
}

/** Bypass without its second key would be refused at the start: such a session goes on asking instead (R93). */
function allowedMode(mode: string, options: SessionOptions): string | undefined {
  const isRefused = mode === 'bypassPermissions' && options.allowDangerouslySkipPermissions !== true;
  return isRefused ? options.permissionMode : mode;
}
