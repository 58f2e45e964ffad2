import { INTERRUPT, REQUESTS } from './wire/controls.ts';
import { HOOKS } from './wire/hooks.ts';
import { HANDSHAKE, MISBEHAVING, NAMELESS } from './wire/mcp.ts';
import { DIALOGS, ELICITATIONS, PARALLEL_CALLS, QUESTIONS } from './wire/permissions.ts';
import { ONE_SHOTS, SESSIONS } from './wire/sessions.ts';
import { DELIVERY, STREAMING, SUBAGENTS } from './wire/turns.ts';
import type { WireSection } from './wire/wire-row.ts';

/** What was measured of the CLI and what shows that the host can live with it, section by section. */
export const WIRE_SECTIONS: readonly WireSection[] = [
  HANDSHAKE,
  NAMELESS,
  MISBEHAVING,
  QUESTIONS,
  PARALLEL_CALLS,
  HOOKS,
  INTERRUPT,
  REQUESTS,
  STREAMING,
  DELIVERY,
  SESSIONS,
  ONE_SHOTS,
  SUBAGENTS,
  DIALOGS,
  ELICITATIONS,
];
