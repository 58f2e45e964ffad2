import type { SessionOptions } from '../../launch/session-options.ts';
import type { FeatureName } from '../../wire/features.ts';
import { isRecord } from '../../wire/fields.ts';
import type { Answers, CliPeer, Line } from './cli-peer.ts';

/** What one scene needs of the world around it. */
export interface Stage {
  /** Starts a process of the CLI as a session would, with these options and flags behind them. */
  open(
    options?: SessionOptions,
    extra?: { readonly answers?: Answers; readonly flags?: readonly string[] },
  ): Promise<CliPeer>;
  /** Whether this release has a feature of the table. */
  has(name: FeatureName): boolean;
  /** Its lines are prologue: they do not count. */
  forget(peer: CliPeer): void;
}

/** One part of the fixed script: a process of its own, in a home of its own. */
export interface Scene {
  readonly name: string;
  /** What it shows, for people. */
  readonly about: string;
  readonly play: (stage: Stage) => Promise<void>;
}

/** The name and the tool of the in-process server. */
export const SERVER = 'drift';
export const TOOL = `mcp__${SERVER}__add`;

export const isType =
  (type: string, subtype?: string) =>
  (line: Line): boolean =>
    line['type'] === type && (subtype === undefined || line['subtype'] === subtype);

export const isRequest =
  (subtype: string) =>
  ({ type, request }: Line): boolean =>
    type === 'control_request' && isRecord(request) && request['subtype'] === subtype;

/** A message of the MCP client in the CLI. */
export const isMcp =
  (method: string) =>
  ({ request }: Line): boolean =>
    isRecord(request) && isRecord(request['message']) && request['message']['method'] === method;

/** Opens, is initialized, prompts, and hears the end of the turn. */
export async function turn(peer: CliPeer, prompt: string, initialize: Line = {}): Promise<void> {
  await peer.ask('initialize', initialize);
  await prompted(peer, prompt);
}

/** The same of a process that is initialized. */
export async function prompted(peer: CliPeer, prompt: string): Promise<void> {
  peer.prompt(prompt);
  await peer.until('turn opened', isType('system', 'init'));
  await ended(peer);
}

/** The end of a turn, and of the process once its input has ended: by then every line was said. */
export async function ended(peer: CliPeer): Promise<void> {
  await peer.until('result', isType('result'));
  await peer.until('idle', (line) => isType('system', 'session_state_changed')(line) && line['state'] === 'idle');
  await left(peer);
}

export async function left(peer: CliPeer): Promise<void> {
  peer.endInput();
  await peer.exited();
}
