import { TroupeError } from '../../errors.ts';
import type { FakeDialectName } from './fake-dialect.ts';
import { FLAVORS } from './flavor.ts';
import type { Behaviour, Scenario, Step } from './scenario.ts';

type Kind = 'text' | 'number' | 'boolean' | 'object' | 'list' | 'signal' | 'ignorable';

/** The fields of a step or match; a question mark makes one optional. */
export type Fields = Readonly<Record<string, Kind | `${Kind}?`>>;

/** Every step, with its fields. */
export const STEPS: Readonly<Record<Step['step'], Fields>> = {
  emit: { frame: 'object' },
  emitRaw: { text: 'text?', base64: 'text?' },
  emitMany: { count: 'number', frame: 'object', perWrite: 'boolean?' },
  bigLine: { bytes: 'number' },
  trickle: { text: 'text', bytesPerWrite: 'number?', everyMs: 'number?' },
  repeat: { times: 'number', everyMs: 'number', do: 'list' },
  expect: { line: 'object', withinMs: 'number?' },
  delay: { ms: 'number' },
  request: { name: 'text', request: 'object' },
  awaitResponse: { name: 'text', expect: 'object?' },
  cancelRequest: { name: 'text' },
  respond: { payload: 'object?' },
  respondError: { error: 'text', errorCode: 'text?' },
  echoTurn: { text: 'text?', lines: 'number?', costUsd: 'number?', wordMs: 'number?' },
  toolTurn: { tool: 'text', input: 'object', output: 'text?', runMs: 'number?', ask: 'boolean?', recorded: 'text?' },
  result: { overrides: 'object' },
  stderr: { text: 'text' },
  stderrMany: { count: 'number', bytes: 'number' },
  exit: { code: 'number' },
  killSelf: { signal: 'signal' },
  ignore: { what: 'ignorable' },
  hang: {},
  burnCpu: { ms: 'number' },
  stopReading: { ms: 'number' },
  closeStdin: {},
  closeStdout: {},
  spawnChild: { detached: 'boolean?', ignoreTerm: 'boolean?', grandchild: 'boolean?', inheritOutput: 'boolean?' },
  writeBeforeRead: { bytes: 'number' },
  printEnvironment: {},
  fallThrough: {},
};

/** Everything a rule can wait for, with its fields. */
export const MATCHES: Readonly<Record<string, Fields>> = {
  start: {},
  initialize: { nth: 'number?' },
  prompt: { equals: 'text?', contains: 'text?', pattern: 'text?', bare: 'boolean?', nth: 'number?' },
  control: { subtype: 'text?', nth: 'number?' },
  response: { to: 'text', behavior: 'text?', nth: 'number?' },
  cancel: { nth: 'number?' },
  eof: {},
  signal: { name: 'signal', nth: 'number?' },
};

/** What a scenario says beside its steps. */
export const BEHAVIOUR: Fields = {
  dialect: 'text?',
  flavor: 'object?',
  atStart: 'list?',
  rules: 'list?',
  thinkMs: 'number?',
  lifetimeMs: 'number?',
  sessions: 'text?',
};

const DIALECTS: readonly string[] = [
  'stream-json',
  'stream-json-sdk-control',
  'print',
  'json-rpc',
] satisfies FakeDialectName[];

/** Longest wait a scenario may ask for, milliseconds; a timer beyond it would fire at once. */
const MAX_NUMBER = 2 ** 31 - 1;

/**
 * Checks a scenario before any process starts. Throws INVALID_OPTIONS whose text names the place, as in
 * `rules[2].do[0]: unknown step "emitt"`.
 */
export function checkScenario(scenario: Scenario): void {
  checkRoundTrip(scenario);
  if (!isOfKind(scenario, 'object')) fail('scenario', 'must be an object');
  const { perStart, ...behaviour } = scenario;
  checkBehaviour(behaviour, '');
  if (perStart === undefined) return;
  if (!Array.isArray(perStart)) fail('perStart', 'must be a list');
  perStart.forEach((entry, index) => {
    checkBehaviour(entry, `perStart[${index}].`);
  });
}

/** A function, a Date or a cycle would be lost on the way to the process. */
function checkRoundTrip(scenario: Scenario): void {
  try {
    const lost = JSON.stringify(scenario, (key, value: unknown) => {
      if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
        fail(key, 'is not JSON');
      return value;
    });
    if (lost === undefined) fail('scenario', 'is not JSON');
  } catch (error) {
    if (TroupeError.is(error)) throw error;
    throw new TroupeError('INVALID_OPTIONS', { reason: 'scenario: is not JSON', cause: error });
  }
}

function checkBehaviour(behaviour: Behaviour, at: string): void {
  checkFields(behaviour, BEHAVIOUR, at === '' ? 'scenario' : at.slice(0, -1));
  const { dialect, flavor = {}, atStart = [], rules = [], sessions } = behaviour;
  if (dialect !== undefined && !DIALECTS.includes(dialect))
    fail(`${at}dialect`, `unknown dialect "${dialect}", known are ${DIALECTS.join(', ')}`);
  for (const field of Object.keys(flavor)) {
    if (!Object.hasOwn(FLAVORS['2.1.332'], field)) fail(`${at}flavor`, `unknown field "${field}"`);
  }
  if (flavor.version !== undefined && ownOf(FLAVORS, flavor.version) === undefined) {
    fail(
      `${at}flavor.version`,
      `unknown version ${shown(flavor.version)}, known are ${Object.keys(FLAVORS).join(', ')}`,
    );
  }
  if (sessions !== undefined && sessions !== 'known' && sessions !== 'any')
    fail(`${at}sessions`, 'must be known or any');
  const names = namedRequests([...atStart, ...rules.flatMap((rule) => rule?.do ?? [])]);
  checkSteps(atStart, `${at}atStart`, names, false);
  rules.forEach((rule, index) => {
    const place = `${at}rules[${index}]`;
    checkFields(rule, { on: 'object', do: 'list', times: 'number?' }, place);
    checkMatch(rule.on, `${place}.on`, names);
    const answers = rule.on.kind === 'initialize' || rule.on.kind === 'control';
    checkSteps(rule.do, `${place}.do`, names, answers);
  });
}

function checkMatch(match: { readonly kind: string }, place: string, names: ReadonlySet<string>): void {
  const fields = ownOf(MATCHES, match.kind);
  if (fields === undefined)
    fail(place, `unknown match ${shown(match.kind)}, known are ${Object.keys(MATCHES).join(', ')}`);
  checkFields(match, { kind: 'text', ...fields }, place);
  if ('to' in match && !names.has(String(match.to))) fail(place, `no request step is named "${String(match.to)}"`);
  if (!('pattern' in match)) return;
  try {
    new RegExp(String(match.pattern), 'u');
  } catch (error) {
    fail(place, `pattern is not a regular expression: ${(error as Error).message}`);
  }
}

function checkSteps(steps: readonly Step[], place: string, names: ReadonlySet<string>, answers: boolean): void {
  steps.forEach((step, index) => {
    const at = `${place}[${index}]`;
    const kind: string = step?.step ?? '';
    const fields = ownOf(STEPS, kind);
    if (fields === undefined) fail(at, `unknown step ${shown(kind)}, known are ${Object.keys(STEPS).join(', ')}`);
    checkFields(step, { step: 'text', ...fields }, at);
    if (kind.startsWith('respond') && !answers)
      fail(at, `${kind} answers nothing: only initialize and control rules may`);
    if ((step.step === 'awaitResponse' || step.step === 'cancelRequest') && !names.has(step.name)) {
      fail(at, `no request step is named "${step.name}"`);
    }
    if (step.step === 'repeat') checkSteps(step.do, `${at}.do`, names, answers);
    if (step.step === 'expect' && typeof step.line.type !== 'string') fail(`${at}.line.type`, 'must be a text');
    if (step.step === 'writeBeforeRead' && !place.endsWith('atStart')) fail(at, 'writeBeforeRead belongs into atStart');
  });
}

/** What every object has by birth is the name of nothing, and so is what is no text: an object may refuse to become one. */
function ownOf<Entry>(table: Readonly<Record<string, Entry>>, name: unknown): Entry | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

function shown(name: unknown): string {
  return JSON.stringify(name) ?? 'undefined';
}

function namedRequests(steps: readonly Step[]): ReadonlySet<string> {
  const nested = steps.flatMap((step) => (step?.step === 'repeat' && Array.isArray(step.do) ? step.do : []));
  const named = steps.flatMap((step) => (step?.step === 'request' ? [step.name] : []));
  return new Set([...named, ...(nested.length > 0 ? namedRequests(nested) : [])]);
}

function checkFields(value: unknown, fields: Fields, place: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(place, 'must be an object');
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(fields, key)) fail(place, `unknown field "${key}"`);
  }
  for (const [key, kind] of Object.entries(fields)) {
    const field = (value as Readonly<Record<string, unknown>>)[key];
    if (field === undefined && kind.endsWith('?')) continue;
    if (!isOfKind(field, kind.replace('?', '') as Kind))
      fail(`${place}.${key}`, `must be ${DESCRIPTIONS[kind.replace('?', '') as Kind]}`);
  }
}

const DESCRIPTIONS: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: `a number from 0 to ${MAX_NUMBER}`,
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
  signal: 'a signal name such as SIGTERM',
  ignorable: 'SIGTERM, SIGINT, SIGHUP or eof',
};

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && value >= 0 && value <= MAX_NUMBER;
    case 'boolean':
      return typeof value === 'boolean';
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'list':
      return Array.isArray(value);
    case 'signal':
      return typeof value === 'string' && /^SIG[A-Z0-9]+$/.test(value);
    case 'ignorable':
      return ['SIGTERM', 'SIGINT', 'SIGHUP', 'eof'].includes(String(value));
  }
}

function fail(place: string, problem: string): never {
  throw new TroupeError('INVALID_OPTIONS', { reason: `${place}: ${problem}.`, details: { place, problem } });
}
