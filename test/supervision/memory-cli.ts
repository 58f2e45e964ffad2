import { createHash } from 'node:crypto';
import { type InMemoryPeer, openInMemory } from '../../src/transport/in-memory-transport.ts';
import type { OpenTransport } from '../../src/transport/transport.ts';

type Frame = Readonly<Record<string, unknown>>;

/** One process of a CLI in memory, and the prompt it is at work on. */
export interface MemoryCli {
  readonly peer: InMemoryPeer;
  /** The session it serves, by the mark of its environment. */
  readonly sessionId: string;
  say(...frames: readonly Frame[]): void;
  /** Ends by itself. */
  exit(code: number): void;
}

export interface MemoryPrompt {
  readonly cli: MemoryCli;
  readonly uuid: string;
  readonly text: string;
  /** Ends its turn well. */
  complete(text?: string, more?: Frame): void;
  /** Ends its turn as one that was interrupted; an interrupt of the host does it by itself. */
  stop(): void;
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

/** What a CLI does not do although it was asked to. */
export interface MemoryManners {
  /** It acknowledges an interrupt, and its turn goes on. */
  readonly isDeaf?: (cli: MemoryCli) => boolean;
  /** It leaves neither at the end of its input nor on a signal. */
  readonly staysOn?: (cli: MemoryCli) => boolean;
  /** It calls the prompt done and begins no turn, as with one that was cut off in a tool (WIRE §15). */
  readonly refuses?: (text: string) => boolean;
}

/** CLIs of a current release without processes. `answer` hears each prompt; by default its turn completes at once. */
export function memoryFleet(
  answer: (prompt: MemoryPrompt) => void = (prompt) => prompt.complete(),
  { isDeaf = () => false, staysOn = () => false, refuses = () => false }: MemoryManners = {},
): MemoryFleet {
  const started: MemoryCli[] = [];
  const gone = new Set<MemoryCli>();
  const prompts: MemoryPrompt[] = [];
  const open = openInMemory((peer) => {
    const cli: MemoryCli = {
      peer,
      sessionId: peer.plan.mark.replace(/:\d+:[^:]*$/, ''),
      say: (...frames) => {
        for (const frame of frames) peer.output(`${JSON.stringify(frame)}\n`);
      },
      exit: (code) => leave(code),
    };
    started.push(cli);
    let open: MemoryPrompt | undefined;
    const leave = (code: number) => {
      if (staysOn(cli)) return;
      gone.add(cli);
      peer.exit({ exitCode: code, signal: null });
    };
    peer.onSignal(() => leave(143));
    void peer.inputEnded.then(() => leave(0));
    peer.onInput((line) => {
      const frame: Frame = JSON.parse(line);
      hear(cli, frame, refuses, (prompt) => {
        open = prompt;
        prompts.push(prompt);
        answer(prompt);
      });
      if (!isInterrupt(frame) || isDeaf(cli)) return;
      open?.stop();
      open = undefined;
    });
  });
  return { open, started, prompts, running: () => started.filter((cli) => !gone.has(cli) && !cli.peer.killed) };
}

function hear(
  cli: MemoryCli,
  frame: Frame,
  refuses: (text: string) => boolean,
  onPrompt: (prompt: MemoryPrompt) => void,
): void {
  if (frame['type'] === 'control_request') {
    cli.say({
      type: 'control_response',
      response: { subtype: 'success', request_id: frame['request_id'], response: INITIALIZED },
    });
  }
  if (frame['type'] !== 'user') return;
  const uuid = String(frame['uuid']);
  const { content } = frame['message'] as { content: unknown };
  const session = { session_id: conversationOf(cli.sessionId) };
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  if (refuses(text)) {
    cli.say({ type: 'command_lifecycle', command_uuid: uuid, state: 'completed', ...session });
    return;
  }
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
    text,
    complete: (text = 'done', more = {}) =>
      end({ subtype: 'success', is_error: false, result: text, terminal_reason: 'completed', ...more }),
    stop: () => end({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' }),
    fail: (text, more = {}) =>
      end({ subtype: 'success', is_error: true, result: text, terminal_reason: 'api_error', ...more }),
  });
}

function isInterrupt({ request }: Frame): boolean {
  return typeof request === 'object' && request !== null && 'subtype' in request && request.subtype === 'interrupt';
}

/** Each session has a conversation of its own, and the same one after a restart. */
function conversationOf(sessionId: string): string {
  return `0b7a4c1e-5d3f-4e8a-9b60-${createHash('sha256').update(sessionId).digest('hex').slice(0, 12)}`;
}

const INITIALIZED = {
  commands: [],
  models: [],
  claude_code_version: '2.1.332',
  current_permission_mode: 'default',
  capabilities: ['msg_lifecycle_v1'],
};
