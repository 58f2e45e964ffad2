import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dialectConformance } from '../../dialects/conformance.ts';
import { processesOf, stage } from './stage.ts';

/** The suite of the dialects, on the CLI that stream-json was measured on. */
dialectConformance({
  name: 'stream-json, the real CLI',
  async start(options) {
    const { start, cwd } = await stage();
    const session = await start(options);
    return {
      session,
      ran: async () => existsSync(join(cwd, 'ran.txt')),
      violations: async () => [],
      processes: () => processesOf(session.id),
    };
  },
});
