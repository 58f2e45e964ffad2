/*
 * What the test suite of the official Python SDK pins down (at e8bde601, 2026-08-22), behaviour by behaviour in our own words:
 * the file and the title of the test that shows it here, or the reason why it is not here. Near-identical ones share a row.
 */

import type { PeerArea } from './peer/behaviour.ts';
import { CLIENT, ERRORS, WARNINGS } from './peer/client.ts';
import { CONVERSATIONS } from './peer/conversations.ts';
import { FRAMING } from './peer/framing.ts';
import { MESSAGES, TYPES } from './peer/messages.ts';
import { CALLBACKS, QUERY } from './peer/query.ts';
import { REAL_CLI } from './peer/real-cli.ts';
import { TOOL_SERVERS } from './peer/tool-servers.ts';
import { ARGUMENTS, TRANSPORT } from './peer/transport.ts';

export const PEER_AREAS: readonly PeerArea[] = [
  FRAMING,
  ARGUMENTS,
  TRANSPORT,
  QUERY,
  CALLBACKS,
  CLIENT,
  ERRORS,
  WARNINGS,
  MESSAGES,
  TYPES,
  TOOL_SERVERS,
  CONVERSATIONS,
  REAL_CLI,
];
