import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { SessionFact } from '../../src/store/session-event.ts';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import { followFleet } from '../../src/telemetry/logger.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';

/** Stands for a secret in a text that somebody else wrote. */
const CANARY = 'canary-7f3a';
const CAUSE = { code: 'CLI_EXITED', message: `It said on stderr: ${CANARY}`, ending: 'crash' };

describe('the log of the fleet', () => {
  it.each<SessionFact>([
    { type: 'message', message: new CliMessage(Buffer.from(CANARY), 'assistant', undefined) },
    { type: 'stderr', line: CANARY },
    { type: 'diagnostic', reason: 'foreign', detail: `99 bytes: ${CANARY}` },
    { type: 'session.restarting', cause: CAUSE, delayMs: 5, restarts: 1 },
    { type: 'session.quarantined', cause: CAUSE, failures: [{ at: 1, incarnation: 1, ...CAUSE }] },
    { type: 'session.ended', cause: CAUSE, exitCode: 1, signal: null },
    { type: 'mcp.server-changed', server: 'calc', status: 'failed', reason: CANARY },
    {
      type: 'permission.requested',
      kind: 'tool',
      requestId: 'r1',
      toolName: 'Bash',
      input: { command: CANARY },
      toolUseId: undefined,
      agentId: undefined,
    },
  ])('quotes nothing that came from the CLI or its tools: $type (P11)', (fact) => {
    expect(logged(fact)).not.toContain(CANARY);
  });

  it('says what ended a session by its code, and where a diagnostic came from by its reason', () => {
    const ended = logged({ type: 'session.ended', cause: CAUSE, exitCode: 1, signal: null });
    expect(JSON.parse(ended)).toMatchObject({ msg: 'session.ended', code: 'CLI_EXITED', exitCode: 1, sessionId: 's1' });
    const odd = logged({ type: 'diagnostic', reason: 'foreign', detail: CANARY, suppressed: 99 });
    expect(JSON.parse(odd)).toMatchObject({ msg: 'diagnostic', reason: 'foreign', suppressed: 99, seq: 1 });
  });

  it('says nothing about conversation lines and stderr at all', () => {
    const message = new CliMessage(Buffer.from('{}'), 'assistant', undefined);
    expect(logged({ type: 'message', message }) + logged({ type: 'stderr', line: 'x' })).toBe('');
  });
});

/** The lines that one event of session s1 leaves in the log. */
function logged(fact: SessionFact): string {
  const lines: string[] = [];
  const logger = pino({ level: 'trace', base: null }, { write: (line: string) => lines.push(line) });
  let tell: (event: FleetEvent) => void = () => {};
  const fleet = {
    on: (_kind: 'event', listener: (event: FleetEvent) => void) => {
      tell = listener;
      return () => {};
    },
  };
  followFleet(fleet, logger);
  tell({ ...fact, seq: 1, epoch: 1, at: 0, sessionId: 's1' });
  return lines.join('');
}
