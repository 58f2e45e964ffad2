import { z } from 'zod';
import { createSdkMcpServer, createSupervisor, tool } from '../../../dist/src/index.js';
import { Taken } from './taken.mjs';
import { textOf } from './text-of.mjs';

/** Troupe as somebody uses it: every option at its default but how many sessions there may be, and what a row says. */
export function openHost({ cli, env, kind, sessions, server, hooks, store, stamps, limits }) {
  const supervisor = createSupervisor({
    pathToClaudeCodeExecutable: cli,
    limits: { maxSessions: sessions, ...limits },
    ...(store === undefined ? {} : { store }),
  });
  const options = {
    env,
    includePartialMessages: true,
    canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
    ...(server === undefined ? {} : { mcpServers: { [server]: echoServer(server) } }),
    ...(hooks === true ? { hooks: { PreToolUse: [{ hooks: [async () => ({ continue: true })] }] } } : {}),
  };
  return {
    supervisor,
    async start(index) {
      const session = await supervisor.start({ ...options, id: `bench-${index}` });
      return new TroupeSession(session, kind, stamps);
    },
    close: () => supervisor.shutdown(),
  };
}

function echoServer(name) {
  const echo = tool('echo', 'Says it again', { text: z.string() }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return createSdkMcpServer({ name, version: '1.0.0', tools: [echo] });
}

class TroupeSession {
  taken = new Taken();
  /** Events that the subscriber was told it missed. */
  missed = 0;
  /** A promise: the subscriber takes nothing until it resolves. */
  pause;
  #session;
  #stamps;

  constructor(session, kind, stamps) {
    this.#session = session;
    this.#stamps = stamps;
    if (kind === 'raw') void this.#readLines();
    if (kind === 'text') void this.#readTexts();
    if (kind === 'typed') void this.#readObjects();
  }

  get id() {
    return this.#session.id;
  }

  async run(prompt, { units, uuid }) {
    const target = this.taken.count + units;
    const { text } = await this.#session.prompt(prompt, { id: uuid }).result;
    await this.taken.until(target);
    return text;
  }

  close() {
    return this.#session.close();
  }

  async #readLines() {
    if (this.#session.lines === undefined) return this.#readMessages();
    for await (const { firstSeq, lastSeq, bytes, missed } of this.#session.lines()) {
      if (bytes === undefined) this.#miss(missed);
      else {
        this.taken.add(lastSeq - firstSeq + 1);
        if (this.#stamps !== undefined) this.#stamps.ofLines(bytes);
      }
      if (this.pause !== undefined) await this.pause;
    }
  }

  /** The bytes of each message, where there is nothing that gives more than one at a time. */
  async #readMessages() {
    for await (const { type, message, missed } of this.#session.events()) {
      if (type === 'message') {
        this.taken.add(1);
        if (this.#stamps !== undefined) this.#stamps.ofLines(message.raw);
      } else this.#miss(missed);
      if (this.pause !== undefined) await this.pause;
    }
  }

  async #readTexts() {
    if (this.#session.texts === undefined) return this.#readObjects(textOf);
    for await (const { text } of this.#session.texts()) if (text !== undefined) this.taken.add(text.length);
  }

  async #readObjects(units = (value) => (value.type === undefined ? 0 : 1)) {
    for await (const { type, message } of this.#session.events()) {
      if (type === 'message') this.taken.add(units(message.value));
    }
  }

  #miss(missed) {
    if (missed === undefined) return;
    this.missed += missed;
    this.taken.add(missed);
  }
}
