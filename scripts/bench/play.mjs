import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { picked } from './verdict.mjs';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const ROUNDS = 5;
const DEADLINE_MS = 300_000;

/**
 * Plays the cases of a row, all adapters in turns and each in a fresh process, so that all meet the same machine. Resolves with
 * the figures by case, adapter and name; what could not be measured is left out, and its reason is among `problems`.
 */
export async function play({ cases, checks }, { cli, isQuick, tell, stop }) {
  const taken = {};
  const problems = [];
  for (const [name, { adapters, rounds = ROUNDS, ...spec }] of Object.entries(cases)) {
    for (let round = 0; round < (isQuick ? Math.min(2, rounds) : rounds); round += 1) {
      for (let place = 0; place < adapters.length; place += 1) {
        // Each round begins with another one.
        const adapter = adapters[(place + round) % adapters.length];
        tell(`${name}, ${adapter}, round ${round + 1}`);
        try {
          const figures = await measured({ ...spec, ...(isQuick ? spec.quick : {}), adapter, cli }, stop);
          taken[name] ??= {};
          taken[name][adapter] ??= [];
          taken[name][adapter].push(figures);
        } catch (error) {
          if (stop.aborted) throw error;
          problems.push(`${name}, ${adapter}: ${error.message}`);
        }
      }
    }
  }
  return { figures: summary(taken, checks), problems };
}

function summary(taken, checks) {
  const picks = Object.fromEntries(checks.map(({ figure, pick }) => [figure, pick]));
  const ofRounds = (rounds) =>
    Object.fromEntries(
      Object.keys(rounds[0]).map((figure) => [
        figure,
        picked(
          rounds.map((round) => round[figure]),
          picks[figure],
        ),
      ]),
    );
  return mapped(taken, (adapters) => mapped(adapters, ofRounds));
}

function mapped(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** The figures of one process. Rejects with what it said when it ended otherwise or took too long. */
async function measured({ deadlineMs = DEADLINE_MS, flags = [], ...spec }, stop) {
  const child = spawn(process.execPath, [...flags, WORKER, JSON.stringify(spec)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: stop,
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] = (said[name] + text).slice(-4_096);
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
  const [code, signal] = await once(child, 'close').finally(() => clearTimeout(timer));
  if (signal === 'SIGKILL') throw new Error(`no end within ${deadlineMs / 1e3} s`);
  if (code !== 0)
    throw new Error(`ended with ${code ?? signal}: ${said.stderr.trim().split('\n').slice(-12).join(' | ')}`);
  return JSON.parse(said.stdout.trim().split('\n').at(-1));
}
