import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../launch/supervisor-options.ts';
import { watchHost } from '../transport/host-watch.ts';
import { currentHost } from './host.ts';

/** Has what this process leaves behind ended as soon as it is killed. Returns the way to do without. */
export function endWithHost(logger: Logger | undefined): () => void {
  return watchHost({
    execPath: currentHost().execPath,
    program: programPath(),
    onFailure(error) {
      try {
        logger?.warn({ err: error }, 'the loss of this process is not watched');
      } catch {
        // A logger that throws leaves nobody to tell.
      }
    },
  });
}

/** The compiled program: the neighbour of this module, or its counterpart in `dist` when this runs from the sources. */
function programPath(): string {
  const neighbour = fileURLToPath(new URL('./lost-host.js', import.meta.url));
  return existsSync(neighbour)
    ? neighbour
    : fileURLToPath(new URL('../../dist/src/supervision/lost-host.js', import.meta.url));
}
