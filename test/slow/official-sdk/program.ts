import { spawn } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { fakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import { realCliHome } from '../../../src/testing/real-cli.ts';
import { cliUnderTest } from '../real-cli/cli-under-test.ts';
import { normalized } from './normalized.ts';

/** The two packages a program can be written for; everything else of it stays the same. */
export const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
export const OURS = 'troupe';
export type PackageName = typeof OFFICIAL | typeof OURS;

export const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** A program that hangs is shown with what it said so far. */
const DEADLINE_MS = 120_000;
/** Words of a slow answer come so far apart that an interrupt always finds the same one. */
const WORD_DELAY_MS = 600_000;

/** What a run of a program did, seen from everywhere it can be seen from. */
export interface ProgramRun {
  /** What it printed, a JSON value for each line. */
  readonly said: readonly unknown[];
  /** What the CLI asked the model. */
  readonly requests: readonly unknown[];
  readonly exitCode: number | null;
  readonly stderr: string;
  /** Processes of the CLI that were still there when the program had ended. */
  readonly survivors: readonly string[];
}

/** The source of a program for this package: one import is changed, and nothing else. */
export async function sourceOf(program: string, name: PackageName): Promise<string> {
  const source = await readFile(join(PROGRAMS, program), 'utf8');
  const parts = source.split(`'${OFFICIAL}'`);
  if (parts.length !== 2) throw new Error(`${program} must name the package once.`);
  return parts.join(`'${name}'`);
}

/** Runs a program as a user would: a process of its own, in an empty folder, with the real CLI and a fresh model. */
export async function runProgram(program: string, name: PackageName): Promise<ProgramRun> {
  const cli = await cliUnderTest();
  await using model = await fakeModel({ slowDelayMs: WORD_DELAY_MS });
  await using home = await realCliHome();
  const file = await install(join(home.home, 'app'), await sourceOf(program, name));
  const env = { ...home.env, ...model.environment(), CLAUDE_CODE_MAX_RETRIES: '1', CLAUDE_PATH: cli.path };
  const ended = await finished(file, home.cwd, env);
  const root = dirname(home.home);
  return {
    ...normalized(
      {
        said: ended.stdout
          .split('\n')
          .filter((line) => line !== '')
          .map((line): unknown => JSON.parse(line)),
        requests: model.requests.map(({ body }) => body),
      },
      basename(root),
    ),
    exitCode: ended.exitCode,
    stderr: ended.stderr,
    survivors: await processesWith(root),
  };
}

async function install(folder: string, source: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, dirname(OFFICIAL)), { recursive: true });
  await symlink(join(ROOT, 'node_modules', OFFICIAL), join(modules, OFFICIAL));
  await symlink(join(ROOT, 'node_modules', 'zod'), join(modules, 'zod'));
  await symlink(ROOT, join(modules, OURS));
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  const file = join(folder, 'program.mjs');
  await writeFile(file, ts.transpileModule(source, { compilerOptions }).outputText);
  return file;
}

function finished(
  file: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ stdout: string; stderr: string; exitCode: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
    child.on('error', reject);
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ stdout, stderr, exitCode });
    });
  });
}

/** Every process that was started with this folder as its home is one of the program's. */
async function processesWith(root: string): Promise<string[]> {
  const { readdir } = await import('node:fs/promises');
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.includes(`HOME=${root}/`)
        ? readFile(`/proc/${pid}/cmdline`, 'utf8')
            .then((line) => line.replaceAll('\0', ' '))
            .catch(() => '')
        : '';
    }),
  );
  return found.filter((line) => line !== '');
}
