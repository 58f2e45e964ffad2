import { readdirSync, readFileSync } from 'node:fs';
import { afterEach } from 'vitest';
import type { ObservedEvent, Session, SessionOptions, Supervisor } from '../../../src/index.ts';
import { createSupervisor } from '../../../src/index.ts';
import { type FakeModel, fakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import type { ModelScript } from '../../../src/testing/fake-model/script.ts';
import { type RealCliHome, realCliHome } from '../../../src/testing/real-cli.ts';
import { type CliUnderTest, cliUnderTest } from './cli-under-test.ts';

/** The real CLI under a supervisor, against a model in this process: everything a test of the real thing stands on. */
export interface Stage {
  readonly cli: CliUnderTest;
  readonly supervisor: Supervisor;
  readonly model: FakeModel;
  readonly cwd: string;
  readonly configDir: string;
  /** Options every session on this stage needs. */
  readonly setting: SessionOptions;
  start(options?: SessionOptions): Promise<Session>;
}

export interface StageOptions {
  readonly script?: ModelScript;
  readonly env?: Record<string, string>;
  readonly timeouts?: SessionOptions['timeouts'];
}

const struck: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const strike of struck.splice(0).reverse()) await strike();
});

/** Builds a stage; it is struck after the test. Fails, never skips, when the CLI is not installed. */
export async function stage(options: StageOptions = {}): Promise<Stage> {
  const cli = await cliUnderTest();
  const model = await fakeModel({ slowDelayMs: 50, ...options.script });
  const home: RealCliHome = await realCliHome();
  const supervisor = createSupervisor();
  struck.push(async () => {
    await supervisor.shutdown();
    await model.close();
    await home.dispose();
  });
  const setting: SessionOptions = {
    pathToClaudeCodeExecutable: cli.path,
    cwd: home.cwd,
    env: { ...home.env, ...model.environment(), CLAUDE_CODE_MAX_RETRIES: '1', ...options.env },
    restart: { type: 'temporary' },
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
  };
  return {
    cli,
    supervisor,
    model,
    cwd: home.cwd,
    configDir: home.configDir,
    setting,
    start: (more = {}) => supervisor.start({ ...setting, ...more }),
  };
}

/** Live processes that carry the mark of a session, read independently of the code under test. */
export function processesOf(sessionId: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
        const state = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.[0];
        if (!environment.includes(`TROUPE_SESSION=${sessionId}:`) || state === 'Z') return [];
        return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
      } catch {
        return [];
      }
    });
}

/** Resolves with the first event of the session, kept or to come, that is of this type and fits. */
export async function eventOf<T extends ObservedEvent['type']>(
  session: Session,
  type: T,
  fits: (event: Extract<ObservedEvent, { type: T }>) => boolean = () => true,
): Promise<Extract<ObservedEvent, { type: T }>> {
  const isWanted = (event: ObservedEvent): event is Extract<ObservedEvent, { type: T }> => event.type === type;
  for await (const event of session.events()) if (isWanted(event) && fits(event)) return event;
  throw new Error(`The session ended without the event ${type}.`);
}

export function statesOf(session: Session): string[] {
  return session.history().map(({ state }) => state);
}
