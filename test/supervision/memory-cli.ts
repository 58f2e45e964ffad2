import { type InMemoryPeer, openInMemory } from '../../src/transport/in-memory-transport.ts';
import type { OpenTransport } from '../../src/transport/transport.ts';

type Frame = Readonly<Record<string, unknown>>;

/** One process of a CLI in memory, and the prompt it is at work on. */
export interface MemoryCli {
  readonly peer: InMemoryPeer;
  /** The session it serves, by the mark of its environment. */
  readonly sessionId: string;
  say(...frames: readonly Frame[]): void;
}

export interface MemoryPrompt {
  readonly cli: MemoryCli;
  readonly uuid: string;
  readonly text: string;
  /** Ends its turn well. */
  complete(text?: string): void;
  /** Ends its turn with that error. */
  fail(result: string, more?: Frame): void;
}

export interface MemoryFleet {
  readonly open: OpenTransport;
  /** Every process that was started, in order. */
  readonly started: readonly MemoryCli[];
  /** Those that run. */
  running(): readonly MemoryCli[];
  /** Every prompt that reached a process, in order. */
  readonly prompts: readonly MemoryPrompt[];
}

/** CLIs of a current release without processes. `answer` hears each prompt; by default its turn completes at once. */
export function memoryFleet(answer: (prompt: MemoryPrompt) => void = (prompt) => prompt.complete()): MemoryFleet {
  const started: MemoryCli[] = [];
  const gone = new Set<MemoryCli>();
  const prompts: MemoryPrompt[] = [];
  const open = openInMemory((peer) => {
    const cli: MemoryCli = {
      peer,
      sessionId: peer.plan.mark.replace(/:[^:]*$/, ''),
      say: (...frames) => {
        for (const frame of frames) peer.output(`${JSON.stringify(frame)}\n`);
      },
    };
    started.push(cli);
    const leave = (code: number) => {
      gone.add(cli);
      peer.exit({ exitCode: code, signal: null });
    };
    peer.onSignal(() => leave(143));
    void peer.inputEnded.then(() => leave(0));
    peer.onInput((line) =>
      hear(cli, JSON.parse(line), (prompt) => {
        prompts.push(prompt);
        answer(prompt);
      }),
    );
  });
  return { open, started, prompts, running: () => started.filter((cli) => !gone.has(cli) && !cli.peer.killed) };
}

function hear(cli: MemoryCli, frame: Frame, onPrompt: (prompt: MemoryPrompt) => void): void {
  if (frame['type'] === 'control_request') {
    cli.say({
      type: 'control_response',
      response: { subtype: 'success', request_id: frame['request_id'], response: INITIALIZED },
    });
  }
  if (frame['type'] !== 'user') return;
  const uuid = String(frame['uuid']);
  const { content } = frame['message'] as { content: unknown };
  const session = { session_id: CONVERSATION };
  cli.say(
    { type: 'command_lifecycle', command_uuid: uuid, state: 'started', ...session },
    {
      type: 'system',
      subtype: 'init',
      model: 'fake',
      permissionMode: 'default',
      capabilities: ['msg_lifecycle_v1'],
      ...session,
    },
  );
  const end = (result: Frame) =>
    cli.say(
      { type: 'result', user_message_uuids: [uuid], num_turns: 1, total_cost_usd: 0, ...session, ...result },
      { type: 'command_lifecycle', command_uuid: uuid, state: 'completed', ...session },
    );
  onPrompt({
    cli,
    uuid,
    text: typeof content === 'string' ? content : JSON.stringify(content),
    complete: (text = 'done') =>
      end({ subtype: 'success', is_error: false, result: text, terminal_reason: 'completed' }),
    fail: (text, more = {}) =>
      end({ subtype: 'success', is_error: true, result: text, terminal_reason: 'api_error', ...more }),
  });
}

const CONVERSATION = '0b7a4c1e-5d3f-4e8a-9b60-000000000001';
const INITIALIZED = {
  commands: [],
  models: [],
  claude_code_version: '2.1.332',
  current_permission_mode: 'default',
  capabilities: ['msg_lifecycle_v1'],
};
