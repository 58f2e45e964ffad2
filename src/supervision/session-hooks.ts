import type { Clock } from '../clock.ts';
import { HookDesk } from '../hooks/hook-desk.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import type { PermissionDesk } from '../permissions/permission-desk.ts';
import type { SessionLife } from '../session/session-life.ts';
import type { EventLog } from '../store/event-log.ts';

/** With a hook before each tool when rules have to see also what the CLI would run without a question. */
export function guarded(options: SessionOptions, desk: PermissionDesk): SessionOptions {
  const guard = desk.guard();
  if (guard === undefined) return options;
  const { PreToolUse = [], ...others } = options.hooks ?? {};
  return { ...options, hooks: { ...others, PreToolUse: [{ hooks: [guard], onFailure: 'block' }, ...PreToolUse] } };
}

/** The hooks of a session, whose calls stand in its log. */
export function buildHooks(
  options: SessionOptions,
  clock: Clock,
  deadlineMs: number,
  log: EventLog,
  life: () => SessionLife | undefined,
): HookDesk {
  return new HookDesk({
    hooks: options.hooks,
    clock,
    deadlineMs,
    answersFirst: log.isVolatile,
    onCalled: ({ reason, ...call }) => {
      const epoch = life()?.epoch ?? 0;
      log.append(epoch, { type: 'hook.called', ...call });
      if (call.outcome === 'answered' || call.outcome === 'cancelled') return;
      log.append(epoch, { type: 'diagnostic', reason: 'hook-failed', detail: `${call.event}: ${reason}` });
    },
  });
}
