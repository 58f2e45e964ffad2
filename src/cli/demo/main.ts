import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionOptions } from '../../launch/session-options.ts';
import type { Session } from '../../session/session.ts';
import { createSupervisor, type Supervisor } from '../../supervision/supervisor.ts';
import { fakeModel } from '../../testing/fake-model/fake-model.ts';
import { findRealCli } from '../../testing/real-cli.ts';
import { Board } from './board.ts';
import { GREETING, PROPS, type Scene, SUM } from './scenes.ts';
import { understudy } from './understudy.ts';

const SCENES = [GREETING, SUM, PROPS];
/** How long the question stays open, so that a person can see it. */
const THINKING_MS = 1_200;

const print = (text: string): void => void process.stdout.write(text);

process.exitCode = await demo();

/** Three sessions under one supervisor, against a model that lives in this process: no key, no network. */
async function demo(): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'troupe-demo-'));
  await using model = await fakeModel({ rules: SCENES.flatMap(({ rules }) => rules) });
  const cli = await findRealCli();
  const fake = cli === undefined ? await understudy() : undefined;
  print(
    cli === undefined
      ? 'No claude CLI for this platform is installed: a fake one plays its part.\n'
      : `The real CLI: ${cli}\n`,
  );
  print('One supervisor, three sessions, an offline model.\n\n');
  const env = { ...model.environment(), HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') };
  const board = new Board(print, process.stdout.isTTY === true);
  const supervisor = createSupervisor({ limits: { maxStarting: 3 } });
  try {
    const plays = SCENES.map((scene) => {
      const path = cli ?? fake?.path;
      return play(supervisor, board, scene, {
        cwd: home,
        env,
        ...(path === undefined ? {} : { pathToClaudeCodeExecutable: path }),
      });
    });
    const outcomes = await Promise.all(plays);
    print(`\n${outcomes.map(summary).join('\n')}\n`);
    const isGood = outcomes.every(({ outcome }) => outcome === 'completed');
    print(isGood ? '\nAll three turns completed, and every process tree is gone.\n' : '\nNot every turn completed.\n');
    return isGood ? 0 : 1;
  } finally {
    await supervisor.shutdown();
    await fake?.dispose();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
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
    if (event.sessionId !== scene.id) return;
    if (event.type === 'session.state-changed') board.set({ id: scene.id, state: event.state, note: scene.shows });
    if (event.type === 'permission.requested') {
      board.set({ id: scene.id, state: 'awaiting-permission', note: `may it use ${event.toolName}?` });
      setTimeout(() => void approve(supervisor, scene.id, event.requestId), THINKING_MS);
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

/** The person of this demo says yes. */
async function approve(supervisor: Supervisor, id: string, requestId: string): Promise<void> {
  await supervisor.session(id)?.permissions.answer(requestId, { behavior: 'allow' }, { by: 'the audience' });
}

function statesOf(session: Session): string[] {
  return session.history().map(({ state }) => state);
}

function summary({ scene, path, outcome, text, costUsd }: Outcome): string {
  const cost = costUsd === undefined ? 'cost unknown' : `$${costUsd.toFixed(4)}`;
  return [`${scene.id} (${scene.shows}): ${outcome}, ${cost}`, `  ${path.join(' → ')}`, `  “${text}”`].join('\n');
}
