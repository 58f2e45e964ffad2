import { describe, expect, it, onTestFinished } from 'vitest';
import type { LaunchPlan, OpenTransport, Transport } from '../../src/transport/transport.ts';

/**
 * What every transport promises. The process behind it obeys lines of input: `say <text>` and `complain <text>` write a
 * line to stdout and stderr, `leave <code>` ends it; it ends with 0 at the end of its input, and ignores signals.
 */
export function describeTransport(name: string, open: OpenTransport, plan: () => LaunchPlan): void {
  describe(`a transport: ${name}`, () => {
    it('delivers what the process says, in order and before it is finished (R13)', async () => {
      const subject = await connect(open, plan());
      await Promise.all([subject.write('say one\n'), subject.write('say two\n'), subject.write('leave 3\n')]);
      expect(await subject.finished).toEqual({ exitCode: 3, signal: null });
      expect(subject.said()).toBe('one\ntwo\n');
      expect(await subject.exited).toEqual({ exitCode: 3, signal: null });
    });

    it('delivers nothing while paused, and all of it after that', async () => {
      const subject = await connect(open, plan());
      subject.pause();
      await subject.write('say kept\n');
      await subject.write('leave 0\n');
      await subject.exited;
      expect(subject.said()).toBe('');
      subject.resume();
      await subject.finished;
      expect(subject.said()).toBe('kept\n');
    });

    it('tells stderr line by line and keeps its tail', async () => {
      const subject = await connect(open, { ...plan(), stderrTailBytes: 8 });
      await subject.write('complain first\n');
      await subject.write('complain second\n');
      subject.endInput();
      await subject.finished;
      expect(subject.complaints).toEqual(['first', 'second']);
      expect(subject.stderrTail()).toBe('\nsecond\n');
    });

    it('lets the process read everything before the end of its input', async () => {
      const subject = await connect(open, plan());
      const written = subject.write('say last\n');
      subject.endInput();
      subject.endInput();
      await written;
      expect(await subject.finished).toEqual({ exitCode: 0, signal: null });
      expect(subject.said()).toBe('last\n');
    });

    it('refuses a line after the end of input and after the exit, always with CLI_INPUT_CLOSED (R22)', async () => {
      const subject = await connect(open, plan());
      subject.endInput();
      await expect(subject.write('say no\n')).rejects.toMatchObject({ code: 'CLI_INPUT_CLOSED' });
      await subject.finished;
      await expect(subject.write('say no\n')).rejects.toMatchObject({ code: 'CLI_INPUT_CLOSED' });
    });

    it('ends a process that ignores signals, and says that it had to (P1)', async () => {
      const subject = await connect(open, plan());
      await subject.write('say here\n');
      await subject.heard('here\n');
      subject.signal('SIGTERM');
      const reports = await Promise.all([subject.killTree(5_000), subject.killTree(5_000)]);
      expect(reports[0]).toEqual({ killed: [subject.pid], survivors: [] });
      expect(await subject.finished).toEqual({ exitCode: null, signal: 'SIGKILL' });
    });

    it('takes signals, pauses, ends and kills after the exit without complaint', async () => {
      const subject = await connect(open, plan());
      await subject.write('leave 0\n');
      await subject.finished;
      subject.signal('SIGINT');
      subject.pause();
      subject.resume();
      subject.endInput();
      expect(await subject.killTree(5_000)).toEqual({ killed: [], survivors: [] });
      expect(await subject.killTree(5_000)).toEqual({ killed: [], survivors: [] });
    });
  });
}

async function connect(open: OpenTransport, plan: LaunchPlan) {
  let said = '';
  let wake = (): void => {};
  const complaints: string[] = [];
  const transport: Transport = await open(plan, {
    output(chunk) {
      said += chunk.toString();
      wake();
    },
    stderr: (line) => void complaints.push(line),
  });
  onTestFinished(async () => void (await transport.killTree(5_000)));
  const heard = async (text: string): Promise<void> => {
    while (!said.includes(text)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { ...transport, said: () => said, complaints, heard };
}
