import { spawn } from 'node:child_process';
import { Taken } from './taken.mjs';
import { textOf } from './text-of.mjs';

const LINE_FEED = 0x0a;

/** What one writes first: a process, its output cut at line feeds, every line parsed, permissions answered. No log, no limits. */
export function openHost({ cli, env, kind, stamps, onMessage }) {
  const sessions = new Set();
  return {
    async start() {
      const session = new BareSession(cli, { ...process.env, ...env }, { kind, stamps, onMessage });
      sessions.add(session);
      await session.ready;
      return session;
    },
    async close() {
      await Promise.all([...sessions].map((session) => session.close()));
    },
  };
}

class BareSession {
  taken = new Taken();
  missed = 0;
  pause;
  #child;
  #pieces = [];
  #result;
  #ready;
  #kind;
  #stamps;
  #onMessage;

  constructor(cli, env, { kind, stamps, onMessage }) {
    this.#kind = kind;
    this.#stamps = stamps;
    this.#onMessage = onMessage;
    this.#child = spawn(cli, ['--output-format', 'stream-json', '--input-format', 'stream-json'], { env });
    this.#child.stderr.resume();
    this.#child.stdout.on('data', (chunk) => this.#take(chunk));
    this.ready = new Promise((resolve) => {
      this.#ready = resolve;
    });
    this.#say({ type: 'control_request', request_id: 'req_1', request: { subtype: 'initialize' } });
  }

  run(prompt, { uuid }) {
    const result = new Promise((resolve) => {
      this.#result = resolve;
    });
    const message = { role: 'user', content: prompt };
    this.#say({ type: 'user', message, parent_tool_use_id: null, session_id: '', uuid });
    return result;
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
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#line(this.#whole(chunk, start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
  }

  #whole(chunk, start, end) {
    if (this.#pieces.length === 0) return chunk.utf8Slice(start, end);
    const line = Buffer.concat([...this.#pieces, chunk.subarray(start, end)]);
    this.#pieces = [];
    return line.utf8Slice(0, line.length);
  }

  #line(text) {
    const message = JSON.parse(text);
    if (message.type === 'control_response') return this.#ready();
    if (message.type === 'control_request') return this.#allow(message);
    this.taken.add(this.#kind === 'text' ? textOf(message) : 1);
    if (this.#stamps !== undefined && message.type === 'stream_event')
      this.#stamps.ofText(message.event.delta?.text ?? '');
    if (this.#onMessage !== undefined) this.#onMessage(message);
    if (message.type === 'result') this.#result?.(message.result);
  }

  #allow({ request_id, request }) {
    const response = { behavior: 'allow', updatedInput: request.input };
    this.#say({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  }
}
