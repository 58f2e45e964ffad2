import { spawn } from 'node:child_process';

/** The last line of a turn says this of its prompt. */
const END = '"state":"completed"';
const END_BYTES = 250;

/** Bytes from a pipe and nothing else: what is commonly called the limit. Understands just enough to know when a turn is over. */
export function openHost({ cli, env }) {
  const sessions = new Set();
  return {
    async start() {
      const session = new PipeSession(cli, { ...process.env, ...env });
      sessions.add(session);
      await session.ready;
      return session;
    },
    async close() {
      await Promise.all([...sessions].map((session) => session.close()));
    },
  };
}

class PipeSession {
  missed = 0;
  #child;
  #tail = '';
  #ended;

  constructor(cli, env) {
    this.#child = spawn(cli, [], { env });
    this.#child.stderr.resume();
    this.ready = new Promise((resolve) => this.#child.stdout.once('data', resolve));
    this.#child.stdout.on('data', (chunk) => this.#take(chunk));
    this.#say({ type: 'control_request', request_id: 'req_1', request: { subtype: 'initialize' } });
  }

  run(prompt, { uuid }) {
    const ended = new Promise((resolve) => {
      this.#ended = resolve;
    });
    const message = { role: 'user', content: prompt };
    this.#say({ type: 'user', message, parent_tool_use_id: null, session_id: '', uuid });
    return ended;
  }

  close() {
    return new Promise((resolve) => {
      this.#child.once('exit', resolve);
      this.#child.stdin.end();
    });
  }

  #say(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(chunk) {
    const end = chunk.latin1Slice(Math.max(0, chunk.length - END_BYTES), chunk.length);
    this.#tail = end.length < END_BYTES ? (this.#tail + end).slice(-END_BYTES) : end;
    if (!this.#tail.includes(END) || !this.#tail.endsWith('\n')) return;
    this.#tail = '';
    this.#ended?.();
  }
}
