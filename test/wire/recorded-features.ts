import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeatureName } from '../../src/wire/features.ts';
import { isRecord } from '../../src/wire/fields.ts';
import { SURVEY } from './recordings.ts';

/** One entry of a recording: a line on a pipe, a request to the API, an exit or a note. */
interface Entry {
  readonly dir: string;
  /** Which process of the recording; the first has none. */
  readonly p?: number;
  readonly msg: unknown;
}
type Line = Readonly<Record<string, unknown>>;
/** What a recording tells of a feature; undefined where it tells nothing. */
type Probe = readonly [scenario: string, read: (recording: Recording) => boolean | undefined];

/** Does this release have the feature, judged by what was recorded of it? Undefined where nothing was recorded. */
export function recordedFeature(version: string, name: FeatureName): boolean | undefined {
  for (const [scenario, read] of PROBES[name] ?? []) {
    const file = join(SURVEY, version, `${scenario}.ndjson`);
    const answer = existsSync(file) ? read(new Recording(readFileSync(file, 'utf8'))) : undefined;
    if (answer !== undefined) return answer;
  }
  return undefined;
}

class Recording {
  readonly entries: readonly Entry[];

  constructor(text: string) {
    this.entries = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  /** Lines of the CLI, by type and subtype. */
  said(type: string, subtype?: string): Line[] {
    return this.#lines('<').filter(
      (line) => line['type'] === type && (subtype === undefined || line['subtype'] === subtype),
    );
  }

  asked(subtype: string): Line[] {
    return this.said('control_request').flatMap(({ request }) =>
      isRecord(request) && request['subtype'] === subtype ? [request] : [],
    );
  }

  /** The messages of the MCP client in the CLI, by method. */
  mcp(method: string): Line[] {
    return this.asked('mcp_message').filter(({ message }) => isRecord(message) && message['method'] === method);
  }

  /** The envelopes of the answers to requests of this subtype; undefined when none was sent. */
  answers(subtype: string, nth = 0): Line[] | undefined {
    const ids = this.#lines('>').flatMap(({ request_id: id, request }) =>
      isRecord(request) && request['subtype'] === subtype ? [id] : [],
    );
    if (ids[nth] === undefined) return undefined;
    return this.said('control_response').flatMap(({ response }) =>
      isRecord(response) && response['request_id'] === ids[nth] ? [response] : [],
    );
  }

  /** The payload of the first answer. */
  payload(subtype: string): Line | undefined {
    const payload = this.answers(subtype)?.[0]?.['response'];
    return isRecord(payload) ? payload : undefined;
  }

  get capabilities(): readonly unknown[] | undefined {
    const opened = this.said('system', 'init')[0];
    if (opened === undefined) return undefined;
    return Array.isArray(opened['capabilities']) ? opened['capabilities'] : [];
  }

  get results(): Line[] {
    return this.said('result');
  }

  /** Where the first line that fits stands among all entries; -1 for nowhere. */
  at(fits: (line: Line, entry: Entry) => boolean): number {
    return this.entries.findIndex((entry) => isRecord(entry.msg) && fits(entry.msg, entry));
  }

  exit(process?: number): Line | undefined {
    const entry = this.entries.find(({ dir, p }) => dir === 'x' && p === process);
    return isRecord(entry?.msg) ? entry.msg : undefined;
  }

  spawns(process: number): boolean {
    return this.entries.some(({ dir, p, msg }) => dir === 'n' && p === process && isRecord(msg) && 'spawn' in msg);
  }

  /** The n-th process brought a turn to a good end. */
  succeeded(process: number): boolean {
    return this.entries.some(
      ({ dir, p, msg }) =>
        dir === '<' && p === process && isRecord(msg) && msg['type'] === 'result' && !msg['is_error'],
    );
  }

  note(field: string): unknown {
    return this.entries.flatMap(({ dir, msg }) =>
      dir === 'n' && isRecord(msg) && field in msg ? [msg[field]] : [],
    )[0];
  }

  text(dir: string): string {
    return this.entries.flatMap((entry) => (entry.dir === dir ? [JSON.stringify(entry.msg)] : [])).join('\n');
  }

  #lines(dir: string): Line[] {
    return this.entries.flatMap((entry) => (entry.dir === dir && isRecord(entry.msg) ? [entry.msg] : []));
  }
}

/** Handshakes of the MCP client in the first process of a recording. */
const initializes = (it: Recording) => it.mcp('initialize').length;
const isFirstPrompt = (line: Line, { dir }: Entry) => dir === '>' && line['type'] === 'user';
const isHandshake = ({ request }: Line, { dir }: Entry) =>
  dir === '<' && isRecord(request) && isRecord(request['message']) && request['message']['method'] === 'initialize';

/** The first MCP message came before the first prompt was sent; undefined without any. */
const isEarly = (it: Recording) => (initializes(it) === 0 ? undefined : it.at(isHandshake) < it.at(isFirstPrompt));

const capability = (word: string): Probe[] => [
  ['01-handshake-nomcp', ({ capabilities }) => capabilities?.includes(word)],
];

/** Holds what was answered, where it was asked. */
const answered = (it: Recording, subtype: string) => {
  const envelopes = it.answers(subtype);
  return envelopes === undefined ? undefined : envelopes[0]?.['subtype'] === 'success';
};

/** A field of the answer to `initialize`; none was answered before there was one. */
const told = (field: string): Probe[] => [['01-handshake-nomcp', (it) => field in (it.payload('initialize') ?? {})]];

/** What an interrupt in the middle of a stream brought about. Where it ended no turn there is nothing to see. */
const interrupted = (read: (result: Line, it: Recording) => boolean): Probe[] => [
  [
    '08a-interrupt-midstream',
    (it) => (it.results[0]?.['subtype'] === 'error_during_execution' ? read(it.results[0], it) : undefined),
  ],
];

const questions = (read: (question: Line) => boolean): Probe[] => [
  ['05a-allow', (it) => it.asked('can_use_tool').map(read)[0]],
];

/** In auto mode a classifier may refuse the agent before it begins (WIRE §0.12). */
const agents = (read: (it: Recording) => boolean): Probe[] => [
  ['17a-subagent', (it) => (it.said('system', 'permission_denied').length > 0 ? undefined : read(it))],
];

const states = (it: Recording) => it.said('system', 'session_state_changed').length > 0;

/** In one recording, or in the first of several that tells anything. */
const PROBES: Readonly<Partial<Record<FeatureName, readonly Probe[]>>> = {
  initializeAnswer: [['01-handshake-nomcp', (it) => answered(it, 'initialize')]],
  replayedPrompts: [['10a-partial-thinking', (it) => it.said('stream_event').length > 0]],
  secondInitialize: [['01-handshake-nomcp', (it) => it.answers('initialize', 1)?.[0]?.['subtype'] === 'success']],
  toldVersion: told('claude_code_version'),
  toldState: told('session_state'),
  toldPid: told('pid'),
  sdkServers: [
    [
      '02-one-sdk-mcp',
      (it) =>
        it.said('system', 'init').some(({ mcp_servers: servers }) => JSON.stringify(servers).includes('"connected"')),
    ],
  ],
  earlyHandshake: [['02-one-sdk-mcp', isEarly]],
  earlySdkServers: [['02d-sdk-via-initialize-sdkMcpServers', isEarly]],
  repeatedHandshake: [['02c-sdk-mcp-user-sent-immediately', (it) => initializes(it) > 1]],
  silentNamelessServer: [
    ['03-sdk-without-name', (it) => it.entries.every(({ dir }) => dir !== '<') && it.exit()?.['code'] === 0],
  ],
  listChanged: capability('sdk_mcp_tools_list_changed'),
  sdkManifests: capability('sdk_mcp_manifests'),
  permissionQuestions: [['05a-allow', (it) => it.asked('can_use_tool').length > 0]],
  describedQuestions: questions((question) => 'display_name' in question),
  allowWithoutInput: [
    [
      '05j-allow-no-updatedInput',
      (it) =>
        it.asked('can_use_tool').length === 0 ? undefined : !it.text('<').includes('Tool permission request failed'),
    ],
  ],
  hiddenDenyMessage: [
    ['05e-deny-interrupt', (it) => (it.asked('can_use_tool').length === 0 ? undefined : hidesDenial(it))],
  ],
  takenBackQuestions: [['08c-interrupt-permission-pending', (it) => it.said('control_cancel_request').length > 0]],
  interruptIsError: interrupted((result) => result['is_error'] === true),
  partialOnInterrupt: interrupted((_, it) => it.said('assistant').length > 1),
  interruptReceipt: capability('interrupt_receipt_v1'),
  cancelQueued: capability('interrupt_cancel_queued_v1'),
  sendNow: capability('interrupt_send_now_v1'),
  terminalReason: [['01-handshake-nomcp', (it) => it.results.some((result) => 'terminal_reason' in result)]],
  apiErrorReason: [['13c-api-400', (it) => it.results[0]?.['terminal_reason'] === 'api_error']],
  turnsPerPrompt: [['01-handshake-nomcp', (it) => it.results[1]?.['num_turns'] === it.results[0]?.['num_turns']]],
  apiRetries: [['13e-api-529-maxretries2', (it) => it.said('system', 'api_retry').length > 0]],
  unknownControlAnswered: [['09-controls', (it) => answeredUnknown(it)?.length === 1]],
  controlErrorCodes: [['09-controls', (it) => answeredUnknown(it)?.[0]?.['error_code'] !== undefined]],
  doubledModeAnswer: [['09-controls', (it) => it.answers('set_permission_mode')?.length === 2]],
  toleratesUnknownTypes: [['14b-unknown-type', (it) => it.exit()?.['code'] === 0]],
  mergedQueue: [['11b-three-at-once', (it) => (it.results.length === 0 ? undefined : it.results.length < 3)]],
  uuidDeduplication: [['11d-duplicate-uuid', (it) => it.results.length === 2]],
  promptLifecycle: capability('msg_lifecycle_v1'),
  cancelledElicitations: capability('msg_lifecycle_v1'),
  sessionState: [['21d-session-state-events', states]],
  sessionStateForSdk: [['21e-SDK_READS_SESSION_STATE', states]],
  taskMessages: agents((it) => it.said('system', 'task_started').length > 0),
  backgroundAgents: agents((it) => it.text('<').includes('Async agent launched')),
  resumedFirstTurn: [
    ['12h-session-id-killed-first-turn', (it) => it.succeeded(3)],
    ['11i-dup-uuid-after-kill-midturn', (it) => (it.spawns(2) ? it.said('control_response').length > 1 : undefined)],
  ],
  resumedAnywhere: [['12c-resume-unknown', (it) => (it.spawns(5) ? it.succeeded(5) : undefined)]],
  chosenForkId: [['12b-session-id', (it) => it.succeeded(5)]],
  resumeErrorResult: [
    [
      '12c-resume-unknown',
      (it) => it.results.some((result) => JSON.stringify(result).includes('No conversation found')),
    ],
  ],
  killsTools: [['15e-SIGTERM-midtool', (it) => gone(it.note('kidsAfter'))]],
};

function answeredUnknown(it: Recording): Line[] | undefined {
  return it.answers('totally_unknown');
}

function gone(after: unknown): boolean | undefined {
  return Array.isArray(after) ? after.length === 0 : undefined;
}

function hidesDenial(it: Recording): boolean {
  return !it.said('user').some((line) => JSON.stringify(line).includes('Stop now'));
}
