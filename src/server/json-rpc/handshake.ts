import type { FrontEnd, Scope } from './front-end-link.ts';

/** What is spoken here; a peer that knows less is met where it is. */
export const PROTOCOL_VERSION = '1.0';

/** What a front end wants to hear. */
export interface Capabilities {
  /** `assistant_token`. */
  readonly streaming: boolean;
  /** It is asked about tools. */
  readonly permissions: boolean;
  /** `tool_use_start`, `tool_result`, `turn_complete`, and the states of sessions and prompts. */
  readonly progress: boolean;
  /** `cli_message`: every line of the CLI, its bytes as they are. */
  readonly messages: boolean;
}

/** What this engine has beside the write-up; said in the answer, so that a front end need not guess. */
export const EXTENSIONS = {
  interrupt: true,
  hooks: true,
  in_process_tools: true,
  session_options: true,
  updated_input: true,
} as const;

export interface Agreement {
  readonly version: string;
  readonly capabilities: Capabilities;
  readonly role: 'controller' | 'observer';
  readonly scopes: ReadonlySet<Scope>;
}

export interface Proposal {
  readonly protocol_version: string;
  readonly capabilities?: { readonly [name in keyof Capabilities]?: boolean | undefined } | null | undefined;
  readonly role?: 'controller' | 'observer' | null | undefined;
}

/**
 * The older of both versions. Without a list of capabilities a peer of version 1.0 gets what that version has, and an older
 * one, which may not know it, only the ends of its turns. An observer reads, whatever its token would allow.
 */
export function agree(proposal: Proposal, frontEnd: FrontEnd): Agreement {
  const isOlder = compareVersions(proposal.protocol_version, PROTOCOL_VERSION) < 0;
  const byVersion = { streaming: !isOlder, permissions: !isOlder, progress: !isOlder, messages: false };
  const given = proposal.capabilities ?? byVersion;
  const wantsToRead = proposal.role === 'observer';
  const scopes = wantsToRead ? new Set<Scope>(['read']) : frontEnd.scopes;
  const isController = scopes.has('answer') || scopes.has('control');
  return {
    version: isOlder ? proposal.protocol_version : PROTOCOL_VERSION,
    capabilities: {
      streaming: given.streaming === true,
      permissions: given.permissions === true,
      progress: given.progress === true,
      messages: given.messages === true,
    },
    role: isController ? 'controller' : 'observer',
    scopes,
  };
}

/** Versions are `major.minor`. */
function compareVersions(one: string, other: string): number {
  const [left = 0, leftMinor = 0] = one.split('.').map(Number);
  const [right = 0, rightMinor = 0] = other.split('.').map(Number);
  return left - right || leftMinor - rightMinor;
}
