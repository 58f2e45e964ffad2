import { TroupeError } from '../errors.ts';
import { createDeliveryLane } from './delivery-lane.ts';
import { StderrTail } from './stderr-tail.ts';
import { removeTemporaryFilesNow } from './temporary-files.ts';
import type { ExitReport, LaunchPlan, OpenTransport, Transport, TransportListeners } from './transport.ts';

/** The far end of an in-memory transport: what a CLI process would see and do. */
export interface InMemoryPeer {
  /** What the host wanted to run. Its temporary files are removed when it ends. */
  readonly plan: LaunchPlan;
  readonly pid: number;
  /** Tells every line of input, without its line end; first those that came before there was a listener. */
  onInput(listener: (line: string) => void): void;
  /** Tells every signal. Nothing happens by itself: a peer that should end on SIGTERM calls `exit`. */
  onSignal(listener: (signal: 'SIGTERM' | 'SIGINT') => void): void;
  /** Writes bytes, or text as UTF-8, to stdout. Ignored after `exit`. */
  output(data: string | Buffer): void;
  /** Writes one line to stderr. Ignored after `exit`. */
  stderr(line: string): void;
  /** Ends the process after everything written before. Only the first call counts. */
  exit(report: ExitReport): void;
  /** Resolves when the host ended stdin and every line before it was delivered. */
  readonly inputEnded: Promise<void>;
  /** The signals so far, in order. */
  readonly signals: readonly string[];
  /** True once the host had to end the process itself. */
  readonly killed: boolean;
  /** True while the host does not read stdout. */
  readonly isPaused: boolean;
}

/** No real process has such a pid (they end at 2^22), so nobody is hurt when one of these is signalled. */
const FIRST_PID = 2 ** 22 + 1;
let nextPid = FIRST_PID;

/**
 * A transport whose process is a function: for tests and for peers in the same program. Everything is delivered in
 * order and by microtasks, so no timer is needed. When `script` throws, opening rejects with what it threw.
 */
export function openInMemory(script: (peer: InMemoryPeer) => void): OpenTransport {
  return async (plan, listeners) => {
    const subject = createProcess(plan, listeners);
    script(createPeer(subject));
    // The opener sees its transport before the first delivery, as with a real process.
    queueMicrotask(() => queueMicrotask(subject.start));
    return createTransport(subject);
  };
}

/** What the two ends have in common: the state of the process that is not there. */
function createProcess(plan: LaunchPlan, listeners: TransportListeners) {
  const stdout = createDeliveryLane();
  const others = createDeliveryLane();
  const exited = createDeferred<ExitReport>();
  const finished = createDeferred<ExitReport>();
  const state = { hasExited: false, killed: false, isPaused: false };
  for (const lane of [stdout, others]) lane.hold();

  function start(): void {
    if (!state.isPaused) stdout.release();
    others.release();
  }

  function exit(report: ExitReport): void {
    if (state.hasExited) return;
    state.hasExited = true;
    // At once: what ends here ends by microtasks alone.
    removeTemporaryFilesNow(plan.temporaryFiles);
    others.post(() => exited.resolve(report));
    stdout.post(() => finished.resolve(exited.promise));
  }

  return {
    plan,
    pid: nextPid++,
    listeners,
    state,
    stdout,
    others,
    exited: exited.promise,
    finished: finished.promise,
    tail: new StderrTail(plan.stderrTailBytes),
    input: createInput(() => state.hasExited),
    signals: [] as string[],
    hearSignal: (_signal: 'SIGTERM' | 'SIGINT'): void => {},
    start,
    exit,
  };
}

type InMemoryProcess = ReturnType<typeof createProcess>;

function createTransport(subject: InMemoryProcess): Transport {
  const { pid, state, stdout, others, exited, finished, input, tail } = subject;
  return {
    pid,
    write: input.write,
    endInput: input.end,
    signal(signal) {
      if (state.hasExited) return;
      subject.signals.push(signal);
      others.post(() => subject.hearSignal(signal));
    },
    async killTree() {
      const killed = state.hasExited ? [] : [pid];
      state.killed ||= !state.hasExited;
      subject.exit({ exitCode: null, signal: 'SIGKILL' });
      await exited;
      return { killed, survivors: [] };
    },
    exited,
    finished,
    stderrTail: () => tail.text(),
    pause() {
      state.isPaused = true;
      stdout.hold();
    },
    resume() {
      state.isPaused = false;
      stdout.release();
    },
  };
}

function createPeer(subject: InMemoryProcess): InMemoryPeer {
  const { plan, pid, listeners, state, stdout, others, input, tail } = subject;
  return {
    plan,
    pid,
    onInput: input.listen,
    onSignal(listener) {
      subject.hearSignal = listener;
    },
    output(data) {
      const chunk = Buffer.from(data);
      if (!state.hasExited) stdout.post(() => listeners.output(chunk));
    },
    stderr(line) {
      if (state.hasExited) return;
      tail.push(Buffer.from(`${line}\n`));
      others.post(() => listeners.stderr(line));
    },
    exit: subject.exit,
    inputEnded: input.ended,
    signals: subject.signals,
    get killed() {
      return state.killed;
    },
    get isPaused() {
      return state.isPaused;
    },
  };
}

/** The host's writing end and the peer's reading end of stdin. */
function createInput(hasExited: () => boolean) {
  const lane = createDeliveryLane();
  const ended = createDeferred<void>();
  const unheard: string[] = [];
  let isEnded = false;
  let tell = (line: string): void => void unheard.push(line);

  function write(line: string): Promise<void> {
    if (isEnded || hasExited()) return Promise.reject(new TroupeError('CLI_INPUT_CLOSED'));
    return new Promise((resolve, reject) => {
      lane.post(() => {
        if (hasExited()) return reject(new TroupeError('CLI_INPUT_CLOSED'));
        resolve();
        tell(line.endsWith('\n') ? line.slice(0, -1) : line);
      });
    });
  }

  function end(): void {
    if (isEnded) return;
    isEnded = true;
    lane.post(() => ended.resolve());
  }

  function listen(listener: (line: string) => void): void {
    lane.post(() => {
      tell = listener;
      for (const line of unheard.splice(0)) listener(line);
    });
  }

  return { write, end, listen, ended: ended.promise };
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
}

function createDeferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
