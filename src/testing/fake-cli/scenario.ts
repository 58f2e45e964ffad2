import type { FakeDialectName } from './fake-dialect.ts';
import type { Flavor } from './flavor.ts';

/** A JSON object, as it goes over the wire. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What a rule waits for. `nth` counts, from 1, the happenings that fit the rest of the match. */
export type Match =
  | { readonly kind: 'start' }
  | { readonly kind: 'initialize'; readonly nth?: number }
  | {
      readonly kind: 'prompt';
      readonly equals?: string;
      readonly contains?: string;
      /** Source of a regular expression. */
      readonly pattern?: string;
      /** Take the line when it is read: no queue, no lifecycle, no `system/init`. */
      readonly bare?: boolean;
      readonly nth?: number;
    }
  | { readonly kind: 'control'; readonly subtype?: string; readonly nth?: number }
  | { readonly kind: 'response'; readonly to: string; readonly behavior?: string; readonly nth?: number }
  | { readonly kind: 'cancel'; readonly nth?: number }
  | { readonly kind: 'eof' }
  | { readonly kind: 'signal'; readonly name: string; readonly nth?: number };

export interface ChildSpec {
  /** True puts the process into its own session (setsid), as the CLI does with Bash (WIRE §0.10). */
  readonly detached?: boolean;
  readonly ignoreTerm?: boolean;
  /** True adds a process below the child. */
  readonly grandchild?: boolean;
  /** True keeps stdout and stderr of the fake open in the child: the pipe outlives the fake. */
  readonly inheritOutput?: boolean;
}

export interface EchoTurnSpec {
  /** Text of the answer; default `Echo: <prompt>`. */
  readonly text?: string;
  /** How many assistant messages carry it; default 1. */
  readonly lines?: number;
  /** Added to `total_cost_usd`; default 0.00044. */
  readonly costUsd?: number;
  /** Milliseconds between two words; the turn can be interrupted in between. Default 0. */
  readonly wordMs?: number;
}

export interface ToolTurnSpec {
  readonly tool: string;
  readonly input: JsonObject;
  /** What the tool returns; a tool `mcp__<server>__<name>` of an in-process server is called over the wire instead. */
  readonly output?: string;
  /** How long the tool runs, milliseconds; default 0. Prompts that come meanwhile are folded in (WIRE §11). */
  readonly runMs?: number;
  /** False runs the tool without `can_use_tool`. */
  readonly ask?: boolean;
  /**
   * When the call is in the transcript, either is real: a turn that was cut off later is not taken up again when its prompt is
   * sent once more (WIRE §15). Default `running`.
   */
  readonly recorded?: 'asking' | 'running';
}

export interface TrickleSpec {
  readonly text: string;
  /** Bytes of one write; default 1, which cuts every character of more than one byte. */
  readonly bytesPerWrite?: number;
  /** Milliseconds between two writes; default 0: they are writes of their own all the same. */
  readonly everyMs?: number;
}

export interface ExpectSpec {
  /** Fields that the next line of the same `type` must have; lists and texts as they are, objects by what they name. */
  readonly line: JsonObject & { readonly type: string };
  /** How long to wait for it, milliseconds; default 10 000. */
  readonly withinMs?: number;
}

/** One thing the fake does. Build them with `step`. */
export type Step =
  | { readonly step: 'emit'; readonly frame: JsonObject }
  | { readonly step: 'emitRaw'; readonly text?: string; readonly base64?: string }
  | { readonly step: 'emitMany'; readonly count: number; readonly frame: JsonObject; readonly perWrite?: boolean }
  | { readonly step: 'bigLine'; readonly bytes: number }
  | ({ readonly step: 'trickle' } & TrickleSpec)
  | { readonly step: 'repeat'; readonly times: number; readonly everyMs: number; readonly do: readonly Step[] }
  | ({ readonly step: 'expect' } & ExpectSpec)
  | { readonly step: 'delay'; readonly ms: number }
  | { readonly step: 'request'; readonly name: string; readonly request: JsonObject }
  | { readonly step: 'awaitResponse'; readonly name: string; readonly expect?: JsonObject }
  | { readonly step: 'cancelRequest'; readonly name: string }
  | { readonly step: 'respond'; readonly payload?: JsonObject }
  | { readonly step: 'respondError'; readonly error: string; readonly errorCode?: string }
  | ({ readonly step: 'echoTurn' } & EchoTurnSpec)
  | ({ readonly step: 'toolTurn' } & ToolTurnSpec)
  | { readonly step: 'result'; readonly overrides: JsonObject }
  | { readonly step: 'stderr'; readonly text: string }
  | { readonly step: 'stderrMany'; readonly count: number; readonly bytes: number }
  | { readonly step: 'exit'; readonly code: number }
  | { readonly step: 'killSelf'; readonly signal: string }
  | { readonly step: 'ignore'; readonly what: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'eof' }
  | { readonly step: 'hang' }
  | { readonly step: 'burnCpu'; readonly ms: number }
  | { readonly step: 'stopReading'; readonly ms: number }
  | { readonly step: 'closeStdin' }
  | { readonly step: 'closeStdout' }
  | ({ readonly step: 'spawnChild' } & ChildSpec)
  | { readonly step: 'writeBeforeRead'; readonly bytes: number }
  | { readonly step: 'printEnvironment' }
  | { readonly step: 'fallThrough' };

/** Steps taken in place of the default behaviour; `fallThrough` adds the default. The first rule that fits wins. */
export interface Rule {
  readonly on: Match;
  readonly do: readonly Step[];
  /** How often it must have been taken when the test ends; anything else is in `problems()`. */
  readonly times?: number;
}

export interface Behaviour {
  /** What it speaks; the frames of the scenario are those of `stream-json` all the same. Default `stream-json`. */
  readonly dialect?: FakeDialectName;
  /** Release to stand for, and single differences from it. Default: 2.1.332. */
  readonly flavor?: Partial<Flavor>;
  /** Taken before the first byte of stdin is read. */
  readonly atStart?: readonly Step[];
  readonly rules?: readonly Rule[];
  /** Milliseconds between `system/init` and the first answer of a default turn. Default 0. */
  readonly thinkMs?: number;
  /** The process ends itself after this many milliseconds, with exit code 99. Default 120 000. */
  readonly lifetimeMs?: number;
  /** `known` (default): `--resume` finds only what this fake has seen; `any`: every id exists. */
  readonly sessions?: 'known' | 'any';
}

/** What a fake does: nothing at all said means a healthy CLI. JSON only. */
export interface Scenario extends Behaviour {
  /** The n-th process follows the n-th entry instead, the last one repeats. */
  readonly perStart?: readonly Behaviour[];
}

/** Builds a rule. */
export function on(match: Match, ...steps: readonly Step[]): Rule {
  return { on: match, do: steps };
}

/** The rule, with how often it must have been taken when the test ends. */
export function times(count: number, rule: Rule): Rule {
  return { ...rule, times: count };
}

type PromptMatch = Omit<Extract<Match, { kind: 'prompt' }>, 'kind'>;

/** Builds matches. A text given to `prompt` must equal the whole prompt. */
export const when = {
  start: (): Match => ({ kind: 'start' }),
  initialize: (nth?: number): Match => ({ kind: 'initialize', ...counted(nth) }),
  prompt: (match: string | PromptMatch = {}): Match =>
    typeof match === 'string' ? { kind: 'prompt', equals: match } : { kind: 'prompt', ...match },
  control: (subtype?: string, nth?: number): Match => ({
    kind: 'control',
    ...(subtype === undefined ? {} : { subtype }),
    ...counted(nth),
  }),
  response: (to: string, match: { behavior?: string; nth?: number } = {}): Match => ({
    kind: 'response',
    to,
    ...match,
  }),
  cancel: (nth?: number): Match => ({ kind: 'cancel', ...counted(nth) }),
  eof: (): Match => ({ kind: 'eof' }),
  signal: (name: string, nth?: number): Match => ({ kind: 'signal', name, ...counted(nth) }),
} as const;

/**
 * Builds steps. Strings inside frames and inputs of tools may hold `$uuid`, `$prompt`, `$session_id`, `$request_id`, `$new_uuid`, `$pid`, `$i`.
 *
 * - `emit`, `emitRaw`, `bigLine`, `emitMany` only write; a turn ends with `result`, `echoTurn` or `toolTurn`.
 * - `echoTurn` outside a prompt is a turn of the CLI's own (WIRE §0.6).
 * - `expect`, and `awaitResponse` with a payload, record a violation that names the step, what was expected and what came.
 * - `exit` and `killSelf` first let the reader have what was written.
 */
export const step = {
  emit: (frame: JsonObject): Step => ({ step: 'emit', frame }),
  emitRaw: (bytes: string | { base64: string }): Step =>
    typeof bytes === 'string' ? { step: 'emitRaw', text: bytes } : { step: 'emitRaw', base64: bytes.base64 },
  emitMany: (spec: { count: number; frame: JsonObject; perWrite?: boolean }): Step => ({ step: 'emitMany', ...spec }),
  bigLine: (spec: { bytes: number }): Step => ({ step: 'bigLine', ...spec }),
  delay: (ms: number): Step => ({ step: 'delay', ms }),
  request: ({ name, ...request }: { name: string; subtype: string } & JsonObject): Step => ({
    step: 'request',
    name,
    request,
  }),
  trickle: (spec: TrickleSpec): Step => ({ step: 'trickle', ...spec }),
  repeat: (spec: { times: number; everyMs: number }, ...steps: readonly Step[]): Step => ({
    step: 'repeat',
    ...spec,
    do: steps,
  }),
  expect: (line: ExpectSpec['line'], options: { withinMs?: number } = {}): Step => ({
    step: 'expect',
    line,
    ...options,
  }),
  awaitResponse: (name: string, expected?: JsonObject): Step => ({
    step: 'awaitResponse',
    name,
    ...(expected === undefined ? {} : { expect: expected }),
  }),
  cancelRequest: (name: string): Step => ({ step: 'cancelRequest', name }),
  respond: (payload?: JsonObject): Step => ({ step: 'respond', ...(payload === undefined ? {} : { payload }) }),
  respondError: (error: string, errorCode?: string): Step => ({
    step: 'respondError',
    error,
    ...(errorCode === undefined ? {} : { errorCode }),
  }),
  echoTurn: (spec: EchoTurnSpec = {}): Step => ({ step: 'echoTurn', ...spec }),
  toolTurn: (spec: ToolTurnSpec): Step => ({ step: 'toolTurn', ...spec }),
  result: (overrides: JsonObject = {}): Step => ({ step: 'result', overrides }),
  stderr: (text: string): Step => ({ step: 'stderr', text }),
  stderrMany: (spec: { count: number; bytes: number }): Step => ({ step: 'stderrMany', ...spec }),
  exit: (code: number): Step => ({ step: 'exit', code }),
  killSelf: (signal: string): Step => ({ step: 'killSelf', signal }),
  ignore: (what: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'eof'): Step => ({ step: 'ignore', what }),
  hang: (): Step => ({ step: 'hang' }),
  burnCpu: (ms: number): Step => ({ step: 'burnCpu', ms }),
  stopReading: (ms: number): Step => ({ step: 'stopReading', ms }),
  closeStdin: (): Step => ({ step: 'closeStdin' }),
  closeStdout: (): Step => ({ step: 'closeStdout' }),
  spawnChild: (spec: ChildSpec = {}): Step => ({ step: 'spawnChild', ...spec }),
  writeBeforeRead: (spec: { bytes: number }): Step => ({ step: 'writeBeforeRead', ...spec }),
  printEnvironment: (): Step => ({ step: 'printEnvironment' }),
  fallThrough: (): Step => ({ step: 'fallThrough' }),
} as const;

function counted(nth: number | undefined): { nth?: number } {
  return nth === undefined ? {} : { nth };
}
