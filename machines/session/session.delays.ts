import type { SessionContext } from './session.context.ts';

interface Of {
  readonly context: SessionContext;
}

/** Every wait of the session machine, in milliseconds. */
export const sessionDelays = {
  spawnDeadline: ({ context }: Of) => context.timeouts.spawnMs,
  initializeDeadline: ({ context }: Of) => context.timeouts.initializeMs,
  /** A CLI that starts MCP at once does so before it answers `initialize`; later ones wait for a prompt (WIRE §0.2, §0.4). */
  handshakeGrace: 250,
  mcpDeadline: ({ context }: Of) => context.timeouts.mcpServerMs,
  turnDeadline: ({ context }: Of) => Math.max(0, context.timeouts.turnMs - context.turnWorkedMs),
  /** A start that talks is not silent (R04), yet it may not hold its place for ever. */
  startCeiling: ({ context }: Of) => 10 * context.timeouts.initializeMs,
  interruptDeadline: ({ context }: Of) => context.timeouts.interruptMs,
  idleDeadline: ({ context }: Of) => context.timeouts.idleMs,
  closeGrace: ({ context }: Of) => context.timeouts.closeGraceMs,
  terminateGrace: ({ context }: Of) => context.timeouts.terminateGraceMs,
  killGrace: ({ context }: Of) => context.timeouts.killGraceMs,
};
