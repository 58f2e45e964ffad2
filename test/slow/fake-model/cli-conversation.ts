import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { FakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import { findRealCli, type RealCliHome, realCliHome } from '../../../src/testing/real-cli.ts';

/** A line of the CLI, in the fields that some test reads. */
export interface Line {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string; readonly tool_use_id?: string; readonly input?: unknown };
  readonly event?: { readonly type: string; readonly delta?: { readonly text?: string } };
  readonly message?: { readonly content: unknown };
  readonly is_error?: boolean;
  readonly result?: string;
  readonly error_status?: number | null;
}

const ARGUMENTS =
  '--output-format stream-json --verbose --input-format stream-json --permission-prompt-tool stdio --permission-mode default';

/** The real CLI on a fake model: says prompts, waits for lines, leaves nothing behind. */
export class CliConversation {
  readonly lines: Line[] = [];
  readonly home: RealCliHome;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<number | null>;
  #isOver = false;
  #read = 0;
  #stderr = '';
  #wake: () => void = () => undefined;

  private constructor(home: RealCliHome, child: ChildProcessWithoutNullStreams) {
    this.home = home;
    this.#child = child;
    const output = createInterface({ input: child.stdout });
    output.on('line', (line) => {
      this.lines.push(JSON.parse(line) as Line);
      this.#wake();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString('utf8');
    });
    this.#exited = Promise.all([once(child, 'close'), once(output, 'close')]).then(([[code]]) => {
      this.#isOver = true;
      this.#wake();
      return code as number | null;
    });
  }

  static async open(model: FakeModel, more: { args?: string[]; env?: Record<string, string> } = {}) {
    const cli = await findRealCli();
    if (cli === undefined) throw new Error('The dev dependency @anthropic-ai/claude-code is not installed.');
    const home = await realCliHome();
    const env = { ...home.env, ...model.environment(), ...more.env };
    const args = [...ARGUMENTS.split(' '), '--setting-sources', '', ...(more.args ?? [])];
    return new CliConversation(home, spawn(cli, args, { cwd: home.cwd, env }));
  }

  say(line: object): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  prompt(content: string): void {
    this.say({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' });
  }

  interrupt(): void {
    this.say({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
  }

  allow(question: Line): void {
    const response = { behavior: 'allow', updatedInput: question.request?.input };
    this.say({ type: 'control_response', response: { subtype: 'success', request_id: question.request_id, response } });
  }

  /** The next line that fits, among those no `next` has passed yet. */
  async next(fits: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      while (this.#read < this.lines.length) {
        const line = this.lines[this.#read];
        this.#read += 1;
        if (line !== undefined && fits(line)) return line;
      }
      if (this.#isOver) throw new Error(`The CLI ended first. ${this.#stderr}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  result(): Promise<Line> {
    return this.next((line) => line.type === 'result');
  }

  /** Says a prompt and returns the result of its turn. */
  ask(content: string): Promise<Line> {
    this.prompt(content);
    return this.result();
  }

  /** Closes stdin, waits for the exit and clears up; returns the exit code and what was left running. */
  async leave(): Promise<{ exitCode: number | null; left: number[] }> {
    this.#child.stdin.end();
    const exitCode = await this.#exited;
    const left = processesOf(this.home.home);
    await this.home.dispose();
    return { exitCode, left };
  }

  /** For the end of a test that failed half-way. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
    for (const pid of processesOf(this.home.home)) process.kill(pid, 'SIGKILL');
    await this.home.dispose();
  }
}

/** Pids whose environment names this home. */
function processesOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8').includes(home);
      } catch {
        return false;
      }
    })
    .map(Number);
}
