import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TroupeError } from '../../../src/errors.ts';
import type { LaunchPlan } from '../../../src/transport/transport.ts';
import { open, planOf } from './open-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'spawn-failure-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a start that fails', () => {
  it.each([
    ['a missing executable', '/no/such/claude', 'CLI_NOT_FOUND', 'ENOENT'],
    ['a path through a file', file('plain', 'text', 0o755, 'below'), 'CLI_NOT_FOUND', 'ENOTDIR'],
    ['a file without the right to execute', file('no-x', '#!/bin/sh\n', 0o644), 'CLI_NOT_EXECUTABLE', 'EACCES'],
    ['a folder', folder, 'CLI_NOT_EXECUTABLE', 'EACCES'],
    [
      'a script whose interpreter is missing',
      file('no-interpreter', '#!/no/such/node\n'),
      'CLI_WRONG_FORMAT',
      'ENOENT',
    ],
    ['an empty file', file('empty', ''), 'CLI_WRONG_FORMAT', 'ENOEXEC'],
    ['a file of unknown format', file('garbage', '\x00\x01\x02\x03'), 'CLI_WRONG_FORMAT', 'ENOEXEC'],
    ['a program for another processor', file('foreign', foreignProgram()), 'CLI_WRONG_FORMAT', 'ENOEXEC'],
  ])('tells %s apart (WIRE §22)', async (_case, command, code, errno) => {
    const error = await failureOf(planOf(command, ['--secret=SECRET'], { env: { KEY: 'SECRET' } }));
    expect(error).toMatchObject({ code, details: { command, cwd: '/', errno } });
    expect(JSON.stringify(error) + String(error.cause)).not.toContain('SECRET');
  });

  it.each([
    ['missing', '/no/such/folder', 'ENOENT'],
    ['not a folder', '/etc/hostname', 'ENOTDIR'],
  ])('blames the working directory when that is %s (WIRE §25.23)', async (_case, cwd, errno) => {
    expect(await failureOf(planOf('/bin/true', [], { cwd }))).toMatchObject({
      code: 'CWD_NOT_FOUND',
      details: { cwd, errno },
    });
  });

  it('blames the system for what cannot be foreseen, with the errno and never an argument (P11)', async () => {
    const error = await failureOf(planOf('/bin/true', ['SECRET\0']));
    expect(error).toMatchObject({ code: 'SPAWN_FAILED', details: { errno: 'EINVAL' } });
    expect(JSON.stringify(error) + String(error.cause)).not.toContain('SECRET');
  });

  it('is one failed start and not the end of the host when file descriptors run out (P10)', async () => {
    const before = openFileLimit();
    if (before > 100_000) return; // Without a limit that can be reached there is nothing to show.
    const taken: number[] = [];
    try {
      for (;;) taken.push(openSync('/dev/null', 'r'));
    } catch {
      // All descriptors are taken now; a few are given back for looking at the files.
      for (const descriptor of taken.splice(0, 4)) closeSync(descriptor);
    }
    const error = await failureOf(planOf('/bin/true')).finally(() => {
      for (const descriptor of taken) closeSync(descriptor);
    });
    expect(error).toMatchObject({ code: 'SPAWN_FAILED', details: { errno: 'EMFILE' } });
  });
});

describe('the size of a command line (R94)', () => {
  it('lets an argument of 131071 bytes pass and refuses one of 131073 before it is tried', async () => {
    const subject = await open(planOf('/bin/true', ['x'.repeat(131_071)]));
    expect(await subject.finished).toEqual({ exitCode: 0, signal: null });
    expect(await failureOf(planOf('/bin/true', ['x'.repeat(131_073)]))).toMatchObject({
      code: 'ARGUMENTS_TOO_LARGE',
      details: { name: 'argument 1', bytes: 131_074, limitBytes: 131_072 },
    });
  });

  it('refuses nothing that the system takes, right up to the limit of the whole', async () => {
    const subject = await open(planOf('/bin/true', Array(13).fill('x'.repeat(131_000))));
    expect(await subject.finished).toEqual({ exitCode: 0, signal: null });
    expect(await failureOf(planOf('/bin/true', Array(20).fill('x'.repeat(131_000))))).toMatchObject({
      code: 'ARGUMENTS_TOO_LARGE',
    });
  });
});

function file(name: string, content: string | Buffer, mode = 0o755, below = ''): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return join(path, below);
}

/** The head of this Node, renamed to a processor that no machine under test has (S/390). */
function foreignProgram(): Buffer {
  const header = readFileSync(process.execPath).subarray(0, 4096);
  header.writeUInt16LE(22, 18);
  return header;
}

async function failureOf(plan: LaunchPlan): Promise<TroupeError> {
  return open(plan).then(
    () => {
      throw new Error('It started.');
    },
    (error: TroupeError) => error,
  );
}

function openFileLimit(): number {
  return Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
}
