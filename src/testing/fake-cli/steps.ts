import { randomUUID } from 'node:crypto';
import type { FakeCli } from './fake-cli.ts';
import { systemFrame } from './frames.ts';
import { contains } from './host-lines.ts';
import { freeDescriptor } from './output.ts';
import type { Answer } from './own-requests.ts';
import type { PlacedRule } from './rules.ts';
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

/** One run of a list of steps: what it answers to, the lines of the host it has looked at, and the step it is at. */
interface Run {
  readonly occasion: Occasion;
  readonly place: string;
  readonly cursor: { next: number };
}

const FOREVER = new Promise<never>(() => {});

/** How long `expect` waits, milliseconds. */
const EXPECT_MS = 10_000;

/** Takes the steps of a rule; one that counts its `times` is noted. */
export function runRule(cli: FakeCli, rule: PlacedRule, occasion: Occasion): Promise<void> {
  if (rule.times !== undefined) cli.journal.add({ kind: 'rule', place: rule.place });
  return runSteps(cli, rule.do, occasion, `${rule.place}.do`);
}

/** Takes the steps one after the other. Steps of a turn stop when it is aborted; those after its result go on. */
export function runSteps(cli: FakeCli, steps: readonly Step[], occasion: Occasion, place: string): Promise<void> {
  return takeAll(cli, steps, { occasion, place, cursor: { next: cli.lines.count } });
}

async function takeAll(cli: FakeCli, steps: readonly Step[], run: Run): Promise<void> {
  for (const [index, step] of steps.entries()) {
    if (cli.isLeaving || run.occasion.turn?.isAborted === true) return;
    // Steps that need no wait stay in one tick, so that what they write is one burst.
    const pending = take(cli, step, run, `${run.place}[${index}]`);
    if (pending !== undefined) await pending;
  }
}

function take(cli: FakeCli, step: Step, run: Run, at: string): Promise<void> | undefined {
  const { occasion } = run;
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
      return wait(cli, step, run, at);
  }
}

type WaitingStep = Extract<
  Step,
  {
    step:
      | 'delay'
      | 'trickle'
      | 'repeat'
      | 'expect'
      | 'stopReading'
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

async function wait(cli: FakeCli, step: WaitingStep, run: Run, at: string): Promise<void> {
  const { occasion } = run;
  switch (step.step) {
    case 'delay':
      return pause(occasion, step.ms);
    case 'trickle':
      return trickle(cli, step, occasion);
    case 'repeat':
      for (let round = 0; round < step.times && !cli.isLeaving && occasion.turn?.isAborted !== true; round += 1) {
        if (round > 0) await pause(occasion, step.everyMs);
        await takeAll(cli, step.do, { ...run, place: `${at}.do` });
      }
      return;
    case 'expect':
      return expectLine(cli, step, run, at);
    case 'stopReading':
      process.stdin.pause();
      await pause({}, step.ms);
      process.stdin.resume();
      return;
    case 'awaitResponse': {
      const answer = await cli.own.answerTo(step.name);
      if (step.expect !== undefined) compareAnswer(cli, step.expect, answer, at);
      return;
    }
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

/** A wait of a turn ends with it; any other lasts. */
function pause({ turn }: Occasion, ms: number): Promise<void> {
  return turn === undefined ? new Promise((done) => setTimeout(done, ms)) : turn.pause(ms);
}

/** Writes cut at any byte: every piece is a write of its own, and a read of its own where there is a wait. */
async function trickle(cli: FakeCli, step: Extract<Step, { step: 'trickle' }>, occasion: Occasion): Promise<void> {
  const bytes = Buffer.from(String(fillText(cli, step.text, occasion, 0)));
  const size = Math.max(1, step.bytesPerWrite ?? 1);
  for (let from = 0; from < bytes.length; from += size) {
    cli.output.raw(bytes.subarray(from, from + size));
    await (step.everyMs === undefined ? cli.output.flush() : pause({}, step.everyMs));
  }
}

async function expectLine(cli: FakeCli, step: Extract<Step, { step: 'expect' }>, run: Run, at: string): Promise<void> {
  const wanted = fill(cli, step.line, run.occasion);
  const found = await cli.lines.next(step.line.type, run.cursor.next, step.withinMs ?? EXPECT_MS);
  if (typeof found === 'string') return cli.journal.surprise(at, JSON.stringify(wanted), found);
  run.cursor.next = found.index + 1;
  if (!contains(found.line, wanted)) cli.journal.surprise(at, JSON.stringify(wanted), JSON.stringify(found.line));
}

function compareAnswer(cli: FakeCli, expected: JsonObject, answer: Answer | undefined, at: string): void {
  if (answer?.kind === 'success' && contains(answer.payload, expected)) return;
  const got = answer?.kind === 'success' ? answer.payload : (answer ?? 'no answer');
  cli.journal.surprise(at, JSON.stringify(expected), JSON.stringify(got));
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
