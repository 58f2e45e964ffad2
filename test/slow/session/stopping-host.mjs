// A program that is stopped, as by SIGSTOP of a shell, at the moment the turn of its session begins, and that tells the
// events which follow when it goes on: one JSON line each, until the watchdog warns or the prompt ends. Arguments: the CLI, and
// the silence it warns of. Its time runs faster than the wall, so that a stop of seconds is one that counts.
import { writeSync } from 'node:fs';
import { createSupervisor } from '../../../dist/src/index.js';

const FACTOR = 20;
const [path, stallMs] = process.argv.slice(2);
const begin = Date.now();
const clock = {
  now: () => begin + (Date.now() - begin) * FACTOR,
  setTimeout: (handler, ms) => setTimeout(handler, ms / FACTOR),
  clearTimeout: (timer) => clearTimeout(timer),
};
const minute = 60_000 * FACTOR;
const timeouts = {
  ...{ spawnMs: minute, initializeMs: minute, controlMs: minute, admissionMs: minute },
  ...{ stallMs: Number(stallMs), stallInterruptMs: Number.POSITIVE_INFINITY },
  // Passes well after the warning, and during the stop if that were time of the turn.
  turnMs: 2 * Number(stallMs),
};

const supervisor = createSupervisor({ clock, pathToClaudeCodeExecutable: path, timeouts });
supervisor.on('event', (event) => {
  if (!/^(turn|watchdog|diagnostic|prompt)/.test(event.type)) return;
  const { type, at, reason, detail, clock: waited } = event;
  writeSync(1, `${JSON.stringify({ type, at, reason, detail, clock: waited })}\n`);
  if (type === 'turn.started') process.kill(process.pid, 'SIGSTOP');
  if (type === 'watchdog.warned' || type === 'prompt.ended') void supervisor.shutdown();
});
const session = await supervisor.start({ id: 'stopped' });
session.prompt('think');
