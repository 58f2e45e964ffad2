import type { Transport } from './transport.ts';

/** All of a transport as an object that can be spread: one of a class keeps its methods in its prototype, where a spread leaves them. */
export function methodsOf(transport: Transport): Transport {
  return {
    pid: transport.pid,
    write: (line) => transport.write(line),
    endInput: () => transport.endInput(),
    signal: (signal) => transport.signal(signal),
    killTree: (deadlineMs) => transport.killTree(deadlineMs),
    exited: transport.exited,
    finished: transport.finished,
    stderrTail: () => transport.stderrTail(),
    pause: () => transport.pause(),
    resume: () => transport.resume(),
  };
}
