import { randomUUID } from 'node:crypto';
import type { FakeCli } from './fake-cli.ts';
import { systemFrame } from './frames.ts';
import { freeDescriptor } from './output.ts';
import type { JsonObject, Step } from './scenario.ts';
import { runToolTurn } from './tool-turn.ts';
import type { Prompt, Turn } from './turn.ts';

/** What the steps of a rule answer to. */
export interface Occasion {
  readonly turn?: Turn;
  readonly prompt?: Prompt;
  /** Id of the control request of the host. */
  readonly requestId?: string;
  /** The default behaviour. */
  readonly fallThrough?: () => void | Promise<void>;
}

const FOREVER = new Promise<never>(() => {});

/** Takes the steps one after the other. Steps of a turn stop when it is aborted; those after its result go on. */
export async function runSteps(cli: FakeCli, steps: readonly Step[], occasion: Occasion): Promise<void> {
  for (const step of steps) {
    if (cli.isLeaving || occasion.turn?.isAborted === true) return;
    // Steps that need no wait stay in one tick, so that what they write is one burst.
    const pending = take(cli, step, occasion);
    if (pending !== undefined) await pending;
  }
}

function take(cli: FakeCli, step: Step, occasion: Occasion): Promise<void> | undefined {
  switch (step.step) {
    case 'emit':
      cli.output.frame(fill(cli, step.frame, occasion) as JsonObject);
      return undefined;
    case 'emitRaw':
      cli.output.raw(step.base64 === undefined ? (step.text ?? '') : Buffer.from(step.base64, 'base64'));
      return undefined;
    case 'emitMany':
      return emitMany(cli, step, occasion);
    case 'bigLine':
      cli.output.raw(`${bigLine(cli.sessionId, step.bytes)}\n`);
      return undefined;
    case 'request':
      return ask(cli, step.name, fill(cli, step.request, occasion) as JsonObject, occasion.turn);
    case 'cancelRequest':
      cli.own.cancel(step.name);
      return undefined;
    case 'respond':
      cli.respond(occasion.requestId ?? '', fill(cli, step.payload, occasion) as JsonObject | undefined);
      return undefined;
    case 'respondError':
      cli.respondError(occasion.requestId ?? '', step.error, step.errorCode);
      return undefined;
    case 'stderr':
      cli.output.stderr(step.text);
      return undefined;
    case 'stderrMany':
      for (let index = 0; index < step.count; index += 1) cli.output.stderr(`${'e'.repeat(step.bytes)}\n`);
      return undefined;
    case 'ignore':
      cli.ignored.add(step.what);
      return undefined;
    case 'result':
      cli.turns.finish(
        occasion.turn ?? cli.turns.current ?? cli.turns.unprompted(),
        fill(cli, step.overrides, occasion) as JsonObject,
      );
      return undefined;
    case 'burnCpu':
      burnCpu(Math.min(step.ms, cli.lifetimeMs));
      return undefined;
    case 'writeBeforeRead':
      cli.output.blocking(Buffer.from(`${bigLine(cli.sessionId, step.bytes)}\n`));
      return undefined;
    case 'printEnvironment':
      cli.output.frame(systemFrame(cli.sessionId, 'fake_environment', { environment: { ...process.env } }));
      return undefined;
    default:
      return wait(cli, step, occasion);
  }
}

type WaitingStep = Extract<
  Step,
  {
    step:
      | 'delay'
      | 'awaitResponse'
      | 'echoTurn'
      | 'toolTurn'
      | 'exit'
      | 'killSelf'
      | 'hang'
      | 'closeStdin'
      | 'closeStdout'
      | 'spawnChild'
      | 'fallThrough';
  }
>;

async function wait(cli: FakeCli, step: WaitingStep, occasion: Occasion): Promise<void> {
  switch (step.step) {
    case 'delay':
      return occasion.turn === undefined
        ? new Promise((done) => setTimeout(done, step.ms))
        : occasion.turn.pause(step.ms);
    case 'awaitResponse':
      await cli.own.answerTo(step.name);
      return;
    case 'echoTurn':
      return cli.turns.echo(openTurn(cli, occasion), step);
    case 'toolTurn':
      return runToolTurn(cli, openTurn(cli, occasion), {
        ...step,
        input: fill(cli, step.input, occasion) as JsonObject,
      });
    case 'exit':
      return cli.leave(step.code, 'step');
    case 'killSelf':
      return cli.killSelf(step.signal);
    case 'hang':
      return FOREVER;
    case 'closeStdin':
      process.stdin.destroy();
      freeDescriptor(0);
      return;
    case 'closeStdout':
      return cli.output.close();
    case 'spawnChild': {
      const pids = await cli.children.start(step);
      cli.journal.add({ kind: 'child', pids });
      cli.output.frame(systemFrame(cli.sessionId, 'fake_child', { pids }));
      return;
    }
    case 'fallThrough':
      await occasion.fallThrough?.();
  }
}

/** The turn of the rule, or without one the running turn; after its result a turn of the CLI's own begins. */
function openTurn(cli: FakeCli, occasion: Occasion): Turn {
  const turn = occasion.turn ?? cli.turns.current;
  return turn === undefined || turn.isEnded ? cli.turns.unprompted() : turn;
}

function ask(cli: FakeCli, name: string, request: JsonObject, turn: Turn | undefined): undefined {
  const isPermission = request.subtype === 'can_use_tool';
  if (isPermission) cli.turns.setState('requires_action');
  const answer = cli.own.send(request, { name, owner: turn });
  void answer.then(() => {
    if (isPermission && cli.own.pending('can_use_tool').length === 0 && !cli.turns.isIdle)
      cli.turns.setState('running');
  });
  return undefined;
}

function emitMany(cli: FakeCli, step: Extract<Step, { step: 'emitMany' }>, occasion: Occasion): undefined {
  const lines: string[] = [];
  for (let index = 0; index < step.count; index += 1) {
    const line = `${cli.output.line(fill(cli, step.frame, occasion, index) as JsonObject)}\n`;
    if (step.perWrite === true) cli.output.raw(line);
    else lines.push(line);
  }
  if (lines.length > 0) cli.output.raw(lines.join(''));
  return undefined;
}

/** An assistant line of exactly this many bytes, newline not counted. */
function bigLine(sessionId: string, bytes: number): string {
  const [head = '', tail = ''] = JSON.stringify({
    type: 'assistant',
    message: { id: 'msg_big', role: 'assistant', content: [{ type: 'text', text: '%' }] },
    parent_tool_use_id: null,
    session_id: sessionId,
    uuid: randomUUID(),
  }).split('%');
  return head + 'x'.repeat(Math.max(0, bytes - head.length - tail.length)) + tail;
}

function burnCpu(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Puts the facts of the occasion into the strings of a frame. */
function fill(cli: FakeCli, value: unknown, occasion: Occasion, index = 0): unknown {
  if (typeof value === 'string') return fillText(cli, value, occasion, index);
  if (Array.isArray(value)) return value.map((item) => fill(cli, item, occasion, index));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(cli, item, occasion, index)]));
}

function fillText(cli: FakeCli, text: string, occasion: Occasion, index: number): unknown {
  if (!text.includes('$')) return text;
  if (text === '$i') return index;
  if (text === '$pid') return process.pid;
  return text.replace(/\$(new_uuid|uuid|prompt|session_id|request_id|pid|i)\b/g, (_, name: string) => {
    if (name === 'new_uuid') return randomUUID();
    if (name === 'uuid') return occasion.turn?.lastUuid ?? occasion.prompt?.uuid ?? '';
    if (name === 'prompt') return occasion.turn?.text ?? occasion.prompt?.text ?? '';
    if (name === 'session_id') return cli.sessionId;
    if (name === 'request_id') return occasion.requestId ?? '';
    return String(name === 'pid' ? process.pid : index);
  });
}
