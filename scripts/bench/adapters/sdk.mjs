import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { Taken } from './taken.mjs';
import { textOf } from './text-of.mjs';

/** The official SDK with streaming input, as its documentation shows it. */
export function openHost({ cli, env, kind, server, hooks, stamps }) {
  const options = {
    pathToClaudeCodeExecutable: cli,
    env: { ...process.env, ...env },
    includePartialMessages: true,
    canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
    ...(server === undefined ? {} : { mcpServers: { [server]: echoServer(server) } }),
    ...(hooks === true ? { hooks: { PreToolUse: [{ hooks: [async () => ({ continue: true })] }] } } : {}),
  };
  const sessions = new Set();
  return {
    async start() {
      const session = new SdkSession(options, kind, stamps);
      sessions.add(session);
      await session.ready;
      return session;
    },
    async close() {
      await Promise.all([...sessions].map((session) => session.close()));
    },
  };
}

function echoServer(name) {
  const echo = tool('echo', 'Says it again', { text: z.string() }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return createSdkMcpServer({ name, version: '1.0.0', tools: [echo] });
}

class SdkSession {
  taken = new Taken();
  missed = 0;
  pause;
  #prompts = [];
  #wake;
  #isClosed = false;
  #result;
  #query;
  #done;

  constructor(options, kind, stamps) {
    this.#query = query({ prompt: this.#input(), options });
    this.ready = this.#query.initializationResult();
    this.#done = this.#read(kind, stamps);
  }

  run(prompt, { uuid }) {
    const result = new Promise((resolve) => {
      this.#result = resolve;
    });
    const message = { role: 'user', content: prompt };
    this.#prompts.push({ type: 'user', message, parent_tool_use_id: null, session_id: '', uuid });
    this.#wake?.();
    return result;
  }

  async close() {
    this.#isClosed = true;
    this.#wake?.();
    await this.#done;
  }

  async *#input() {
    while (!this.#isClosed) {
      yield* this.#prompts.splice(0);
      if (this.#isClosed || this.#prompts.length > 0) continue;
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #read(kind, stamps) {
    for await (const message of this.#query) {
      this.taken.add(kind === 'text' ? textOf(message) : 1);
      if (stamps !== undefined && message.type === 'stream_event') stamps.ofText(message.event.delta?.text ?? '');
      if (message.type === 'result') this.#result?.(message.result);
      if (this.pause !== undefined) await this.pause;
    }
  }
}
