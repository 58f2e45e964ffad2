// A program: starts the processes of a host that is too big to do so itself. Started by `src/transport/spawner.ts`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { errnoOf } from './errno.ts';
import { GREETING_BYTES, type HostWord, parseGreeting, type SpawnerWord, type SpawnOrder } from './spawner-words.ts';

/** Three for each start, and no more starts at a time than a supervisor ever has. */
const BACKLOG = 4_096;
/** How long an order waits for its pipes, and they for it; a host that is alive has given up by then. */
const INCOMPLETE_MS = 60_000;

interface Incomplete {
  order: SpawnOrder | undefined;
  readonly pipes: (Socket | undefined)[];
  readonly timer: NodeJS.Timeout;
}

const incomplete = new Map<number, Incomplete>();

// A signal to the whole terminal, or to everybody of a user, is the host's to interpret; with the host this ends, too.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit());
process.on('message', (word) => hear(word as HostWord));

function hear(word: HostWord): void {
  if (word.type === 'begin') listen(word.path, word.token);
  else take(word.id, (one) => Object.assign(one, { order: word }));
}

function listen(path: string, token: string): void {
  // A pipe may be ended on one side and used on the other.
  const server = createServer({ allowHalfOpen: true }, (pipe) => greet(pipe, token));
  server.listen({ path, backlog: BACKLOG }, () => tell({ type: 'ready' }));
}

/** The host says nothing more before it knows that the process was started, so nothing of what it says is read here. */
function greet(pipe: Socket, token: string): void {
  let said = '';
  const timer = setTimeout(() => pipe.destroy(), INCOMPLETE_MS);
  pipe.on('error', () => {});
  pipe.on('close', () => clearTimeout(timer));
  pipe.on('data', (bytes) => {
    said += bytes.toString('latin1');
    if (said.length < GREETING_BYTES) return;
    clearTimeout(timer);
    pipe.pause();
    const named = parseGreeting(said, token);
    if (named === undefined) pipe.destroy();
    else take(named.id, ({ pipes }) => Object.assign(pipes, { [named.descriptor]: pipe }));
  });
}

function take(id: number, put: (one: Incomplete) => unknown): void {
  const one = incomplete.get(id) ?? waitFor(id);
  put(one);
  const [input, output, errors] = one.pipes;
  if (one.order === undefined || input === undefined || output === undefined || errors === undefined) return;
  incomplete.delete(id);
  clearTimeout(one.timer);
  const pipes = [input, output, errors] as const;
  start(one.order, pipes);
  // The ends of the process are its own now: while one is open here, nobody could see that it closed it.
  for (const pipe of pipes) pipe.destroy();
}

function waitFor(id: number): Incomplete {
  const timer = setTimeout(() => {
    incomplete.delete(id);
    for (const pipe of one.pipes) pipe?.destroy();
  }, INCOMPLETE_MS);
  const one: Incomplete = { order: undefined, pipes: [], timer };
  incomplete.set(id, one);
  return one;
}

function start({ id, command, args, cwd, env }: SpawnOrder, pipes: readonly [Socket, Socket, Socket]): void {
  try {
    const child = spawn(command, args, { cwd, env, stdio: [...pipes], detached: true });
    const { pid } = child;
    child.once('error', (error) => {
      if (pid === undefined) tell({ type: 'failed', id, errno: errnoOf(error) });
    });
    if (pid === undefined) return;
    // In the turn of the spawn the status cannot have been collected yet, so the pid is certainly the child's.
    tell({ type: 'started', id, pid, startTime: startTimeOf(pid) });
    child.once('exit', (exitCode, signal) => tell({ type: 'exited', id, exitCode, signal }));
  } catch (error) {
    tell({ type: 'failed', id, errno: errnoOf(error) });
  }
}

/** Also of a process that has ended already. */
function startTimeOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function tell(word: SpawnerWord): void {
  // A host that is gone has cut the channel, and that is the end of this program.
  process.send?.(word, () => {});
}
