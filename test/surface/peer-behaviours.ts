/*
 * What the test suite of the official Python SDK pins down (at e8bde601, 2026-08-22), behaviour by behaviour in our own words:
 * the file and the title of the test that shows it here, or the reason why it is not here. Near-identical ones share a row.
 */

import type { PeerArea } from './peer/behaviour.ts';
import { CLIENT, ERRORS, WARNINGS } from './peer/client.ts';
import { FRAMING } from './peer/framing.ts';
import { CALLBACKS, QUERY } from './peer/query.ts';
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
];
