import { execFileSync } from 'node:child_process';

/** The slow ring runs real subprocesses from `dist`, so what it tests is built from the sources it stands beside. */
export default function buildFirst(): void {
  run('node_modules/rolldown/bin/cli.mjs', '--config', 'rolldown.config.ts', '--logLevel', 'silent');
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  run('node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn');
}

function run(...command: string[]): void {
  execFileSync(process.execPath, command, { stdio: 'inherit' });
}
