import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What commands did: programs with their first argument, in the order of their starts, and files. */
export interface Done {
  readonly ran: readonly string[];
  readonly wrote: readonly string[];
}

/** Each command is a shell of its own: what it sets, and how it ends, is nobody else's. */
const EACH = 'while IFS= read -r -d "" c; do (FUNCNEST=5; eval "$c"; wait) <>/dev/null; done; wait';

/** bash in a folder of its own, with programs that only note that they were run. */
export function stubbedShell() {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-oracle-'));
  const [bin, cwd, journal] = [join(folder, 'bin'), join(folder, 'cwd'), join(folder, 'journal')];
  mkdirSync(bin);
  for (const name of ['git', 'rm']) {
    writeFileSync(join(bin, name), `#!/bin/bash\necho ${name} $1 >> ${journal}\n`);
    chmodSync(join(bin, name), 0o700);
  }
  symlinkSync('/bin/bash', join(bin, 'sh'));
  for (const name of ['env', 'xargs', 'find', 'timeout', 'nohup', 'printf']) {
    symlinkSync(`/usr/bin/${name}`, join(bin, name));
  }
  return {
    /** What they did, all of them together. */
    run(...commands: readonly string[]): Done {
      rmSync(journal, { force: true });
      rmSync(cwd, { recursive: true, force: true });
      mkdirSync(cwd);
      spawnSync('/bin/bash', ['-c', EACH], {
        cwd,
        env: { PATH: bin, X: 'rm', P: 'push' },
        input: commands.map((command) => `${command}\0`).join(''),
        stdio: ['pipe', 'ignore', 'ignore'],
        timeout: 20_000 + 100 * commands.length,
        killSignal: 'SIGKILL',
      });
      const ran = existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : [];
      return { ran, wrote: readdirSync(cwd) };
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
