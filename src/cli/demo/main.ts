import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SessionOptions } from '../../launch/session-options.ts';
import type { Session } from '../../session/session.ts';
import { createSupervisor, type Supervisor } from '../../supervision/supervisor.ts';
import { fakeModel } from '../../testing/fake-model/fake-model.ts';
import { findRealCli } from '../../testing/real-cli.ts';
import { EXIT } from '../exit-codes.ts';
import { LEAVE_EXIT, type LeaveReason, onLeave, watchOutput } from '../leave.ts';
import { sayYes } from './audience.ts';
import { Board } from './board.ts';
import { openHouse } from './open-house.ts';
import { GREETING, PROPS, type Scene, SUM } from './scenes.ts';
import { understudy } from './understudy.ts';

const SCENES = [GREETING, SUM, PROPS];
/** How long the question stays open, so that a person can see it. */
const THINKING_MS = 1_200;

const dashboard = wantsDashboard();
const print = (text: string): void => void process.stdout.write(text);

watchOutput();
process.exitCode = await demo();

/** Three sessions under one supervisor, against a model that lives in this process: no key, no network. */
async function demo(): Promise<number> {
  const supervisor = createSupervisor({ limits: { maxStarting: 3 } });
  let left: LeaveReason | undefined;
  let stopListening = () => {};
  const leaving = new Promise<void>((resolve) => {
    stopListening = onLeave((why) => {
      left ??= why;
      // Nothing new is admitted any more, and what there is gets no grace.
      void supervisor.shutdown();
      for (const session of supervisor.list()) void session.kill();
      resolve();
    });
  });
  const home = await mkdtemp(join(tmpdir(), 'troupe-demo-'));
  const removeNow = () => rmSync(home, { recursive: true, force: true });
  process.once('exit', removeNow);
  try {
    const code = await perform(supervisor, home, leaving);
    return left === undefined ? code : LEAVE_EXIT[left];
  } catch (error) {
    // The scenes break off when the sessions are ended under them.
    if (left === undefined) throw error;
    return LEAVE_EXIT[left];
  } finally {
    await supervisor.shutdown();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
    process.off('exit', removeNow);
    stopListening();
  }
}

async function perform(supervisor: Supervisor, home: string, left: Promise<void>): Promise<number> {
  await using model = await fakeModel({ rules: SCENES.flatMap(({ rules }) => rules) });
  const cli = await findRealCli();
  await using fake = cli === undefined ? await understudy() : undefined;
  print(
    cli === undefined
      ? 'No claude CLI for this platform is installed: a fake one plays its part.\n'
      : `The real CLI: ${cli}\n`,
  );
  print('One supervisor, three sessions, an offline model.\n\n');
  const env = { ...model.environment(), HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') };
  const path = cli ?? fake?.path;
  const setting = { cwd: home, env, ...(path === undefined ? {} : { pathToClaudeCodeExecutable: path }) };
  try {
    if (dashboard) {
      await openHouse(supervisor, SCENES, setting, { print, left });
      return 0;
    }
    const board = new Board(print, process.stdout.isTTY === true);
    const outcomes = await Promise.all(SCENES.map((scene) => play(supervisor, board, scene, setting)));
    print(`\n${outcomes.map(summary).join('\n')}\n`);
    const isGood = outcomes.every(({ outcome }) => outcome === 'completed');
    print(isGood ? '\nAll three turns completed, and every process tree is gone.\n' : '\nNot every turn completed.\n');
    return isGood ? 0 : 1;
  } finally {
    // Before the model and the fake go: a session whose model is gone would retry.
    await supervisor.shutdown();
  }
}

interface Outcome {
  readonly scene: Scene;
  readonly path: readonly string[];
  readonly outcome: string;
  readonly text: string;
  readonly costUsd: number | undefined;
}

async function play(supervisor: Supervisor, board: Board, scene: Scene, setting: SessionOptions): Promise<Outcome> {
  const follow = supervisor.on('event', (event) => {
    if (!('sessionId' in event) || event.sessionId !== scene.id) return;
    if (event.type === 'session.state-changed') board.set({ id: scene.id, state: event.state, note: scene.shows });
    if (event.type === 'permission.requested') {
      board.set({ id: scene.id, state: 'awaiting-permission', note: `may it use ${event.toolName}?` });
      setTimeout(() => void sayYes(supervisor.session(scene.id), event.requestId), THINKING_MS).unref();
    }
  });
  try {
    const session = await supervisor.start({ ...setting, ...scene.options, id: scene.id });
    const result = await session.prompt(scene.prompt).result;
    await session.settled();
    await session.close();
    return {
      scene,
      path: statesOf(session),
      outcome: result.outcome,
      text: result.text ?? result.error?.message ?? '',
      costUsd: result.costUsd,
    };
  } finally {
    follow();
  }
}

function statesOf(session: Session): string[] {
  return session.history().map(({ state }) => state);
}

function summary({ scene, path, outcome, text, costUsd }: Outcome): string {
  const cost = costUsd === undefined ? 'cost unknown' : `$${costUsd.toFixed(4)}`;
  return [`${scene.id} (${scene.shows}): ${outcome}, ${cost}`, `  ${path.join(' → ')}`, `  “${text}”`].join('\n');
}

function wantsDashboard(): boolean {
  try {
    return parseArgs({ options: { dashboard: { type: 'boolean', default: false } } }).values.dashboard;
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nThe demo knows --dashboard, and nothing else.\n`,
    );
    process.exit(EXIT.usage);
  }
}
