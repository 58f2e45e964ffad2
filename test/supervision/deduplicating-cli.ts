import { type InMemoryPeer, openInMemory } from '../../src/transport/in-memory-transport.ts';

type Frame = Readonly<Record<string, unknown>>;

/** What CLIs that know their prompts by uuid have done, over all their processes and hosts. */
export interface CliWorld {
  readonly open: ReturnType<typeof openInMemory>;
  /** How often the turn of each prompt ran to its end, by text. */
  readonly executed: ReadonlyMap<string, number>;
  /** How often each tool ran, by its command. */
  readonly tools: ReadonlyMap<string, number>;
  /** Prompts in the middle of which the present host is to be lost: no turn of them ends before `goOn`. */
  goOn(): void;
  /** Every process is gone at once, as those of a host that was killed and swept. */
  sweep(): void;
}

/**
 * CLIs of a current release without processes. A prompt whose turn came to its end is never run again in its conversation,
 * one that was cut off is; `ask <command>` asks before it runs a tool; `slow …` does not end before `goOn` was called.
 */
export function cliWorld(): CliWorld {
  const done = new Set<string>();
  const executed = new Map<string, number>();
  const tools = new Map<string, number>();
  let isGoingOn = false;
  let running: (() => void)[] = [];
  let asked = 0;
  let unnamed = 0;
  const count = (of: Map<string, number>, what: string) => of.set(what, (of.get(what) ?? 0) + 1);
  const open = openInMemory((peer: InMemoryPeer) => {
    const asking = new Map<string, { readonly command: string; readonly end: () => void }>();
    let isGone = false;
    unnamed += 1;
    const conversation = conversationOf(peer.plan.args) ?? `unnamed-${unnamed}`;
    const say = (...frames: readonly Frame[]) => {
      for (const frame of frames) peer.output(`${JSON.stringify(frame)}\n`);
    };
    const leave = (exitCode: number) => {
      isGone = true;
      peer.exit({ exitCode, signal: null });
    };
    const run = (uuid: string, text: string, session: Frame) => {
      const end = () => {
        if (isGone || peer.killed) return;
        done.add(`${conversation} ${uuid}`);
        count(executed, text);
        const about = { user_message_uuids: [uuid], num_turns: 1, total_cost_usd: 0, result: text };
        say(
          { type: 'result', subtype: 'success', is_error: false, terminal_reason: 'completed', ...about, ...session },
          { type: 'command_lifecycle', command_uuid: uuid, state: 'completed', ...session },
        );
      };
      say(
        { type: 'command_lifecycle', command_uuid: uuid, state: 'started', ...session },
        { type: 'system', subtype: 'init', model: 'm', permissionMode: 'default', ...LIFECYCLE, ...session },
      );
      if (text.startsWith('slow') && !isGoingOn) return;
      if (!text.startsWith('ask ')) return end();
      asked += 1;
      asking.set(`q${asked}`, { command: text.slice(4), end });
      const request = { tool_name: 'Bash', input: { command: text.slice(4) }, tool_use_id: `toolu_${asked}` };
      say({ type: 'control_request', request_id: `q${asked}`, request: { subtype: 'can_use_tool', ...request } });
    };
    running.push(() => leave(137));
    peer.onSignal(() => leave(143));
    void peer.inputEnded.then(() => leave(0));
    peer.onInput((line) => {
      const frame = JSON.parse(line);
      if (frame.type === 'control_request') {
        const response = { commands: [], models: [], claude_code_version: '2.1.332', ...LIFECYCLE };
        say({ type: 'control_response', response: { subtype: 'success', request_id: frame.request_id, response } });
      }
      if (frame.type === 'control_response') {
        const question = asking.get(frame.response.request_id);
        asking.delete(frame.response.request_id);
        if (frame.response.response?.behavior === 'allow') count(tools, question?.command ?? 'unknown');
        question?.end();
      }
      if (frame.type !== 'user') return;
      const session = { session_id: conversation };
      const { uuid } = frame;
      if (done.has(`${conversation} ${uuid}`))
        say({ type: 'command_lifecycle', command_uuid: uuid, state: 'completed', ...session });
      else run(uuid, String(frame.message.content), session);
    });
  });
  return {
    open,
    executed,
    tools,
    goOn: () => {
      isGoingOn = true;
    },
    sweep: () => {
      const all = running;
      running = [];
      for (const end of all) end();
    },
  };
}

const LIFECYCLE = { capabilities: ['msg_lifecycle_v1'] };

/** The conversation that the command line names. */
function conversationOf(args: readonly string[]): string | undefined {
  const named = args.flatMap((arg, index) =>
    arg === '--resume' || arg === '--session-id'
      ? [args[index + 1]]
      : (/^--(?:resume|session-id)=(.*)/.exec(arg)?.[1] ?? []),
  );
  return named[0];
}
