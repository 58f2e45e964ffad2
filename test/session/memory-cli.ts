import type { FleetEvent } from '../../src/index.ts';
import type { SupervisorOptions } from '../../src/launch/supervisor-options.ts';
import type { Session } from '../../src/session/session.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type InMemoryPeer, openInMemory } from '../../src/transport/in-memory-transport.ts';

type Line = Record<string, unknown>;

/** One process of a CLI that is a function: it starts as a healthy one does, and says what the test has it say. */
export interface MemoryCli {
  readonly peer: InMemoryPeer;
  /** Everything the host wrote, in order. */
  readonly heard: readonly Line[];
  /** The prompts among it, by id. */
  prompts(): string[];
  /** The control requests among it, by subtype. */
  requests(): string[];
  say(...lines: Line[]): void;
  /** Opens the turn of the newest prompt, or one that nobody asked for. */
  openTurn(): void;
  /** Ends it with a result for the newest prompt. */
  endTurn(fields?: Line): void;
  ask(subtype: string, request?: Line): void;
}

export interface MemoryOptions extends SupervisorOptions {
  /** A process that ignores the end of its input, and signals. */
  readonly isDeaf?: boolean;
  /** What a process does beside starting; `number` from 1. `false`: it answers nothing by itself. */
  readonly behave?: (cli: MemoryCli, line: Line, number: number) => boolean | undefined;
}

const CONVERSATION = '11111111-2222-4333-8444-555555555555';
let nextUuid = 0;

/** A supervisor on a simulated clock whose processes are functions in memory: no subprocess, no waiting. */
export async function memoryStage({ behave, isDeaf = false, ...options }: MemoryOptions = {}) {
  const clock = simulatedClock({ startAt: Date.UTC(2026, 0, 1) });
  const clis: MemoryCli[] = [];
  const spawn = openInMemory((peer) => {
    const cli = memoryCli(peer);
    clis.push(cli);
    const number = clis.length;
    peer.onInput((text) => {
      const line = JSON.parse(text) as Line;
      (cli.heard as Line[]).push(line);
      if (behave?.(cli, line, number) !== false) answer(cli, line);
    });
    if (isDeaf) return;
    peer.onSignal(() => peer.exit({ exitCode: 143, signal: null }));
    void peer.inputEnded.then(() => peer.exit({ exitCode: 0, signal: null }));
  });
  const supervisor = createSupervisor({
    clock,
    spawn,
    pathToClaudeCodeExecutable: process.execPath,
    ...options,
  });
  const events: FleetEvent[] = [];
  supervisor.on('event', (event) => events.push(event));
  const session = await supervisor.start({ id: 'review' });
  const named = (type: string) => events.filter((event) => event.type === type);
  return { clock, clis, supervisor, session, events, named, cli: () => last(clis) };
}

/** Waits without time passing: what is not there after so many rounds will not come. */
export async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 2_000 && !isTrue(); round += 1) await new Promise((resolve) => setImmediate(resolve));
  if (!isTrue()) throw new Error(`It did not come true: ${isTrue}`);
}

/** Sends a prompt and waits until the CLI has read it. */
export async function sendPrompt(session: Session, cli: MemoryCli, text = 'work') {
  const before = cli.prompts().length;
  const turn = session.prompt(text);
  await until(() => cli.prompts().length > before);
  return turn;
}

function memoryCli(peer: InMemoryPeer): MemoryCli {
  const heard: Line[] = [];
  const say = (...lines: Line[]) => {
    for (const line of lines) peer.output(`${JSON.stringify({ uuid: uuid(), session_id: CONVERSATION, ...line })}\n`);
  };
  const prompts = () => heard.filter(({ type }) => type === 'user').map((line) => String(line['uuid']));
  return {
    peer,
    heard,
    say,
    prompts,
    requests: () => heard.filter(({ type }) => type === 'control_request').map((line) => subtypeOf(line)),
    openTurn: () => {
      const prompt = prompts().at(-1);
      say({ type: 'system', subtype: 'init', model: 'm', permissionMode: 'default', claude_code_version: '2.1.332' });
      if (prompt !== undefined) say({ type: 'command_lifecycle', command_uuid: prompt, state: 'started' });
    },
    endTurn: (fields = {}) => {
      const prompt = prompts().at(-1);
      const uuids = prompt === undefined ? [] : [prompt];
      say({
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: 'done',
        user_message_uuids: uuids,
        ...fields,
      });
      if (prompt !== undefined) say({ type: 'command_lifecycle', command_uuid: prompt, state: 'completed' });
    },
    ask: (subtype, request = {}) =>
      say({ type: 'control_request', request_id: uuid(), request: { subtype, ...request } }),
  };
}

/** What a healthy CLI answers at once. */
function answer(cli: MemoryCli, line: Line): void {
  if (line['type'] !== 'control_request') return;
  const capabilities = ['msg_lifecycle_v1', 'interrupt_receipt_v1', 'interrupt_cancel_queued_v1'];
  const isStart = subtypeOf(line) === 'initialize';
  const response = isStart ? { claude_code_version: '2.1.332', capabilities, commands: [], models: [] } : {};
  cli.say({ type: 'control_response', response: { subtype: 'success', request_id: line['request_id'], response } });
}

/** The subtype of a control request. */
export function subtypeOf(line: Line): string {
  const { request } = line;
  return typeof request === 'object' && request !== null && 'subtype' in request ? String(request.subtype) : '';
}

function uuid(): string {
  nextUuid += 1;
  return `00000000-0000-4000-8000-${String(nextUuid).padStart(12, '0')}`;
}

function last(clis: readonly MemoryCli[]): MemoryCli {
  const cli = clis.at(-1);
  if (cli === undefined) throw new Error('No process was started.');
  return cli;
}
