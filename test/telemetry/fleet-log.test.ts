import { readdirSync, readFileSync } from 'node:fs';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { SessionFact } from '../../src/store/session-event.ts';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import { logFleet } from '../../src/telemetry/fleet-log.ts';
import { LOG_COMPONENTS, type LogLevels, readLogLevels } from '../../src/telemetry/log-levels.ts';
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
    expect(logged(fact, readLogLevels('trace'))).not.toContain(CANARY);
  });

  it('says what ended a session by its code, and where a diagnostic came from by its reason', () => {
    const ended = logged({ type: 'session.ended', cause: CAUSE, exitCode: 1, signal: null });
    expect(JSON.parse(ended)).toMatchObject({ msg: 'session.ended', code: 'CLI_EXITED', exitCode: 1, sessionId: 's1' });
    const odd = logged({ type: 'diagnostic', reason: 'foreign', detail: CANARY, suppressed: 99 });
    expect(JSON.parse(odd)).toMatchObject({ msg: 'diagnostic', reason: 'foreign', suppressed: 99, seq: 1 });
  });

  it('tells of conversation lines and stderr the kind and the size, at trace alone', () => {
    const message = new CliMessage(Buffer.from('{"type":"assistant"}'), 'assistant', undefined);
    const odd = new CliMessage(Buffer.from('{}'), CANARY, CANARY);
    expect(logged({ type: 'message', message }) + logged({ type: 'stderr', line: 'x' })).toBe('');
    const all = readLogLevels('trace');
    expect(JSON.parse(logged({ type: 'message', message }, all))).toMatchObject({ kind: 'assistant', bytes: 20 });
    expect(JSON.parse(logged({ type: 'message', message: odd }, all))).toMatchObject({ kind: 'unknown' });
    expect(JSON.parse(logged({ type: 'stderr', line: CANARY }, all))).toMatchObject({ characters: CANARY.length });
  });

  it('says which turn is open, and tells each component from its own level on', () => {
    const turn: SessionFact = { type: 'turn.started', promptId: 'p1' };
    const hook: SessionFact = {
      type: 'hook.called',
      event: 'Stop',
      matcher: undefined,
      toolUseId: undefined,
      outcome: 'answered',
      tookMs: 1,
    };
    const over: SessionFact = { type: 'turn.ended', promptIds: ['p1'], isError: false, origin: undefined, costUsd: 0 };
    const lines = logged([turn, hook, over, hook], readLogLevels('warn,hook=debug')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line)).map(({ msg, turn }) => [msg, turn])).toEqual([
      ['hook.called', 'p1'],
      ['hook.called', undefined],
    ]);
    expect(logged([turn, hook])).not.toContain('hook.called');
  });

  it('has a component for every event that there is', () => {
    const source = ['src/store/plain-fact.ts', 'src/store/session-event.ts', ...eventFiles()].map((file) =>
      readFileSync(file, 'utf8'),
    );
    const types = [...source.join('\n').matchAll(/type: ((?:'[a-z-]+\.[a-z.-]+'(?: \| )?)+)/g)];
    const components = new Set(
      types.flatMap(([, names = '']) => names.split(' | ').map((name) => name.slice(1).split('.')[0])),
    );
    // Told to one subscriber only.
    for (const name of ['replay', 'subscriber']) components.delete(name);
    expect(components.size).toBeGreaterThan(10);
    expect([...components].filter((name) => !LOG_COMPONENTS.some((known) => known === name))).toEqual([]);
  });
});

function eventFiles(): string[] {
  return readdirSync('src/supervision')
    .filter((name) => name.includes('event') || name === 'start-sweep.ts')
    .map((name) => `src/supervision/${name}`);
}

/** The lines that events of session s1 leave in the log. */
function logged(facts: SessionFact | readonly SessionFact[], levels?: LogLevels): string {
  const lines: string[] = [];
  const logger = pino({ level: 'trace', base: null }, { write: (line: string) => lines.push(line) });
  let tell: (event: FleetEvent) => void = () => {};
  const fleet = {
    on: (_kind: 'event', listener: (event: FleetEvent) => void) => {
      tell = listener;
      return () => {};
    },
  };
  logFleet(fleet, logger, levels);
  for (const fact of [facts].flat()) tell({ ...fact, seq: 1, epoch: 1, at: 0, sessionId: 's1' });
  return lines.join('');
}
