import type { Check } from './promises.ts';

/** P5: every wait ends by itself, and says for what it is. */
export const nothingHangs: Check = (world, when) => {
  const found: string[] = [];
  const { host, passedMs, clients, isTimeStrange } = world;
  for (const { name, session, host: of, calledAt, withinMs, outcome } of clients.calls) {
    if (outcome !== 'pending' || of !== host.name) continue;
    // Time that nobody noticed is nobody's time.
    const waited = passedMs - calledAt - (isTimeStrange ? 120_000 : 0);
    if (waited > withinMs) found.push(`${name} of ${session || 'the supervisor'} waits for ${waited} ms`);
    if (when === 'at-rest')
      found.push(`${name} of ${session || 'the supervisor'} waits although everything is at rest`);
  }
  if (when === 'at-the-end') {
    const { state } = host.supervisor;
    if (state !== 'stopped') found.push(`the supervisor is ${state} after its shutdown`);
    const { openTimers } = host.clock;
    if (openTimers > 0) found.push(`${openTimers} timers are left after the shutdown`);
    return found;
  }
  if (when === 'always') return found;
  for (const session of host.supervisor.list()) {
    const { because } = session.explain();
    if (because === '') found.push(`${session.id} cannot say why it is ${session.state}`);
  }
  return found;
};
