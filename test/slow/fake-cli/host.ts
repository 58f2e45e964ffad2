import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { FakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';

export type Frame = Record<string, unknown>;

export interface HostOptions {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  /** Answers every MCP request of the CLI as a server with one tool `add`. Default true. */
  readonly answersMcp?: boolean;
}

export const STREAM_JSON = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

/** The smallest host: it writes lines, keeps the frames that come back, and waits for one. */
export class Host {
  readonly child: ChildProcessWithoutNullStreams;
  readonly frames: Frame[] = [];
  /** Lines that are not JSON. */
  readonly foreign: string[] = [];
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  stderr = '';
  #rest = '';
  #read = 0;
  #requests = 0;
  #wake: (() => void) | undefined;
  #isClosed = false;
  readonly #answersMcp: boolean;

  constructor(fake: FakeClaude, options: HostOptions = {}) {
    this.#answersMcp = options.answersMcp ?? true;
    this.child = spawn(fake.path, [...STREAM_JSON, '--permission-prompt-tool', 'stdio', ...(options.args ?? [])], {
      env: { PATH: process.env.PATH, ...options.env },
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#wake?.();
    });
    this.child.stdin.on('error', () => {});
    this.exited = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        this.#isClosed = true;
        this.#wake?.();
        resolve({ code, signal });
      });
    });
  }

  /** Writes all messages in one write. */
  send(...messages: Frame[]): void {
    this.child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  }

  raw(bytes: string | Buffer): void {
    this.child.stdin.write(bytes);
  }

  prompt(text: string, uuid?: string, extra: Frame = {}): void {
    this.send(user(text, uuid, extra));
  }

  /** Sends a control request and waits for the answer to it. */
  async control(request: Frame): Promise<Frame> {
    this.#requests += 1;
    const id = `host-${this.#requests}`;
    this.send({ type: 'control_request', request_id: id, request });
    const frame = await this.next((one) => (one.response as Frame | undefined)?.request_id === id);
    return frame.response as Frame;
  }

  initialize(request: Frame = {}): Promise<Frame> {
    return this.control({ subtype: 'initialize', ...request });
  }

  answer(request: Frame, payload: Frame): void {
    const response = { subtype: 'success', request_id: request.request_id, response: payload };
    this.send({ type: 'control_response', response });
  }

  /** The next frame, not looked at before, that fits. Frames that do not fit are skipped. */
  async next(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const frame = this.frames[this.#read];
      if (frame === undefined) {
        if (this.#isClosed) throw new Error(`The fake ended. stderr: ${this.stderr} frames: ${shapes(this.frames)}`);
        await this.#change();
        continue;
      }
      this.#read += 1;
      if (fits(frame)) return frame;
    }
  }

  result(): Promise<Frame> {
    return this.next((frame) => frame.type === 'result');
  }

  /** A control request of the CLI with this subtype. */
  asked(subtype: string): Promise<Frame> {
    return this.next((frame) => frame.type === 'control_request' && (frame.request as Frame).subtype === subtype);
  }

  async stderrWith(text: string): Promise<void> {
    while (!this.stderr.includes(text) && !this.#isClosed) await this.#change();
  }

  /** Ends stdin and waits for the exit. */
  end(): Promise<{ code: number | null; signal: string | null }> {
    this.child.stdin.end();
    return this.exited;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        this.#keep(JSON.parse(line) as Frame);
      } catch {
        this.foreign.push(line);
      }
    }
    this.#wake?.();
  }

  #keep(frame: Frame): void {
    this.frames.push(frame);
    const request = frame.request as Frame | undefined;
    if (!this.#answersMcp || frame.type !== 'control_request' || request?.subtype !== 'mcp_message') return;
    this.answer(frame, { mcp_response: mcpReply(request.message as Frame) });
  }
}

export function user(text: string, uuid?: string, extra: Frame = {}): Frame {
  const message = { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, session_id: '' };
  return { ...message, ...(uuid === undefined ? {} : { uuid }), ...extra };
}

/** What kind of frame this is, without ids and texts. */
export function shape(frame: Frame): string {
  const request = frame.request as Frame | undefined;
  const method = (request?.message as Frame | undefined)?.method;
  const event = frame.event as Frame | undefined;
  return [frame.type, frame.subtype, frame.state, request?.subtype, method, event?.type]
    .filter((part) => part !== undefined)
    .join('/');
}

export function shapes(frames: readonly Frame[]): string {
  return frames.map(shape).join(' ');
}

/** True while the process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/exe`);
}

function mcpReply(message: Frame): Frame {
  const reply = { jsonrpc: '2.0', id: message.id ?? 0 };
  if (message.method === 'initialize') {
    const serverInfo = { name: 'calc', version: '1.0.0' };
    return { ...reply, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } };
  }
  if (message.method === 'tools/list') {
    return { ...reply, result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } };
  }
  if (message.method === 'tools/call') return { ...reply, result: { content: [{ type: 'text', text: '11' }] } };
  return { ...reply, result: {} };
}
