import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dialectConformance } from '../../dialects/conformance.ts';
import { processesOf, stage } from './stage.ts';

/** The suite of the dialects, on the real CLI with one process per prompt and no control channel. */
dialectConformance({
  name: 'print, the real CLI',
  async start(options) {
    const { start, cwd } = await stage();
    const session = await start({ dialect: 'print', ...options });
    return {
      session,
      ran: async () => existsSync(join(cwd, 'ran.txt')),
      violations: async () => [],
      processes: () => processesOf(session.id),
    };
  },
});
