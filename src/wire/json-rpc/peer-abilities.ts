import { isRecord, numberOf, stringOf, stringsOf } from '../fields.ts';

/** What is spoken here. */
export const PROTOCOL_VERSION = '1.0';

/** What the write-up does not have, and an engine may: told under these names in the answer to `initialize`. */
export const EXTENSIONS = ['hooks', 'in_process_tools', 'session_options', 'updated_input', 'interrupt'] as const;

export type Extension = (typeof EXTENSIONS)[number];

/** What an engine said of itself. */
export interface PeerAbilities {
  readonly version: string | undefined;
  readonly extensions: ReadonlySet<Extension>;
  readonly tools: readonly string[];
  readonly servers: number | undefined;
  readonly sessionId: string | undefined;
}

/** Reads the answer to `initialize`; whatever is missing in it the engine has not. */
export function abilitiesOf(answer: unknown): PeerAbilities {
  const told = isRecord(answer) ? answer : {};
  const capabilities = isRecord(told['capabilities']) ? told['capabilities'] : {};
  return {
    version: stringOf(told['protocol_version']),
    extensions: new Set(EXTENSIONS.filter((name) => capabilities[name] === true)),
    tools: stringsOf(capabilities['tools']),
    servers: numberOf(capabilities['mcp_servers']),
    sessionId: stringOf(told['session_id']) || undefined,
  };
}
