import { createSupervisor, type SessionOptions } from 'troupe';

/** An agent that may run make and nothing else. Returns what it said at the end. */
export async function release(version: string, options: SessionOptions = {}): Promise<string | undefined> {
  const supervisor = createSupervisor();
  try {
    const session = await supervisor.start({
      ...options,
      permissions: { rules: [{ tool: 'Bash(make *)', behavior: 'allow' }] },
      permissionPrompts: 'none',
    });
    const { outcome, text, error } = await session.prompt(`Release ${version}`).result;
    if (outcome !== 'completed') throw error ?? new Error(outcome);
    return text;
  } finally {
    await supervisor.shutdown();
  }
}
