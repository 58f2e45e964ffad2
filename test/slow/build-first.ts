import { execFileSync } from 'node:child_process';

/** The slow ring runs real subprocesses from `dist`, so what it tests is built from the sources it stands beside. */
export default function buildFirst(): void {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  });
}
