import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import type { LaunchPlan, OpenTransport, Transport } from '../transport/transport.ts';
import { methodsOf } from '../transport/transport-methods.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** How the suite gets transports. */
export interface TransportSubject {
  readonly open: OpenTransport;
  /**
   * Runs a program that obeys lines of its input: `say <text>` and `complain <text>` write a line to stdout and stderr,
   * `leave <code>` ends it; it ends with 0 at the end of its input, and ignores SIGTERM and SIGINT. `OBEDIENT_PROGRAM` is one.
   */
  plan(): LaunchPlan;
}

/** Such a program for Node: `args: ['-e', OBEDIENT_PROGRAM]`. */
export const OBEDIENT_PROGRAM = `
process.on('SIGTERM', () => {});
process.on('SIGINT', () => {});
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const [, verb, text] = /^(\\w+) ?(.*)$/.exec(line);
  if (verb === 'say') process.stdout.write(text + '\\n');
  if (verb === 'complain') process.stderr.write(text + '\\n');
  if (verb === 'leave') process.exit(Number(text));
});
`;

/** How long the end of a process tree may take, milliseconds. */
const KILL_MS = 5_000;

/**
 * What Troupe expects of a transport, for any test runner:
 * `for (const { name, run } of transportConformance(subject)) it(name, run);`. Every case opens one of its own and ends it.
 */
export function transportConformance(subject: TransportSubject): ConformanceCase[] {
  return CASES.map(([name, check]) => ({
    name,
    run: async () => {
      const opened: Transport[] = [];
      try {
        await check(async (part = {}) => {
          const process = await connect(subject.open, { ...subject.plan(), ...part });
          opened.push(process);
          return process;
        });
      } finally {
        await Promise.all(opened.map((transport) => transport.killTree(KILL_MS)));
      }
    },
  }));
}

type Connect = (part?: Partial<LaunchPlan>) => Promise<Connected>;

const CASES: readonly (readonly [name: string, check: (open: Connect) => Promise<void>])[] = [
  [
    'delivers what the process says, in order and before it is finished (R13)',
    async (open) => {
      const subject = await open();
      await Promise.all([subject.write('say one\n'), subject.write('say two\n'), subject.write('leave 3\n')]);
      deepStrictEqual(await subject.finished, { exitCode: 3, signal: null });
      strictEqual(subject.said(), 'one\ntwo\n');
      deepStrictEqual(await subject.exited, { exitCode: 3, signal: null });
    },
  ],
  [
    'delivers bytes as they are, also those of characters that are not ASCII (R09)',
    async (open) => {
      const subject = await open();
      await subject.write('say 日本 🦊\n');
      await subject.write('leave 0\n');
      await subject.finished;
      strictEqual(subject.said(), '日本 🦊\n');
    },
  ],
  [
    'delivers nothing while paused, and all of it after that',
    async (open) => {
      const subject = await open();
      subject.pause();
      await subject.write('say kept\n');
      await subject.write('leave 0\n');
      await subject.exited;
      strictEqual(subject.said(), '');
      subject.resume();
      await subject.finished;
      strictEqual(subject.said(), 'kept\n');
    },
  ],
  [
    'tells stderr line by line and keeps its tail',
    async (open) => {
      const subject = await open({ stderrTailBytes: 8 });
      await subject.write('complain first\n');
      await subject.write('complain second\n');
      subject.endInput();
      await subject.finished;
      deepStrictEqual(subject.complaints, ['first', 'second']);
      strictEqual(subject.stderrTail(), '\nsecond\n');
    },
  ],
  [
    'lets the process read everything before the end of its input',
    async (open) => {
      const subject = await open();
      const written = subject.write('say last\n');
      subject.endInput();
      subject.endInput();
      await written;
      deepStrictEqual(await subject.finished, { exitCode: 0, signal: null });
      strictEqual(subject.said(), 'last\n');
    },
  ],
  [
    'refuses a line after the end of input and after the exit, always with CLI_INPUT_CLOSED (R22)',
    async (open) => {
      const subject = await open();
      subject.endInput();
      await rejects(subject.write('say no\n'), { code: 'CLI_INPUT_CLOSED' });
      await subject.finished;
      await rejects(subject.write('say no\n'), { code: 'CLI_INPUT_CLOSED' });
    },
  ],
  [
    'ends a process that ignores signals, and says that it had to (P1)',
    async (open) => {
      const subject = await open();
      await subject.write('say here\n');
      await subject.heard('here\n');
      subject.signal('SIGTERM');
      const [report] = await Promise.all([subject.killTree(KILL_MS), subject.killTree(KILL_MS)]);
      deepStrictEqual(report, { killed: [subject.pid], survivors: [] });
      deepStrictEqual(await subject.finished, { exitCode: null, signal: 'SIGKILL' });
    },
  ],
  [
    'takes signals, pauses, ends and kills after the exit without complaint',
    async (open) => {
      const subject = await open();
      await subject.write('leave 0\n');
      await subject.finished;
      subject.signal('SIGINT');
      subject.pause();
      subject.resume();
      subject.endInput();
      deepStrictEqual(await subject.killTree(KILL_MS), { killed: [], survivors: [] });
      deepStrictEqual(await subject.killTree(KILL_MS), { killed: [], survivors: [] });
    },
  ],
];

interface Connected extends Transport {
  said(): string;
  readonly complaints: readonly string[];
  /** Resolves when stdout holds the text. */
  heard(text: string): Promise<void>;
}

async function connect(open: OpenTransport, plan: LaunchPlan): Promise<Connected> {
  const chunks: Buffer[] = [];
  const complaints: string[] = [];
  let wake = (): void => {};
  const transport = await open(plan, {
    output(chunk) {
      chunks.push(chunk);
      wake();
    },
    stderr: (line) => void complaints.push(line),
  });
  const said = () => Buffer.concat(chunks).toString();
  const heard = async (text: string): Promise<void> => {
    while (!said().includes(text)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { ...methodsOf(transport), said, complaints, heard };
}
