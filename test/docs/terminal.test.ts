import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SummaryAnswer } from '../../src/api/session-answers.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { JSON_LINES, jsonLinesDocument } from '../../src/cli/json-lines.ts';
import { readPage } from './markdown-page.ts';

const { text } = readPage('docs/terminal.md');
const rows =
  text
    .split('## JSON')[1]
    ?.split('\n')
    .filter((line) => line.startsWith('| `')) ?? [];
const fieldsOf = (command: string) =>
  [...(rows.find((row) => row.startsWith(`| \`${command}\``))?.split(' | ')[2] ?? '').matchAll(/`([^`]+)`/g)].map(
    ([, name]) => name,
  );

describe('the schema of --json', () => {
  it('names every field of a session in `ps`, and no other', () => {
    expect(fieldsOf('ps').sort()).toEqual(Object.keys(SummaryAnswer.shape).sort());
  });

  it('names those that a session always has before the others', () => {
    const always = Object.entries(SummaryAnswer.shape).filter(([, field]) => !field.safeParse(undefined).success);
    expect(fieldsOf('ps').slice(0, always.length).sort()).toEqual(always.map(([name]) => name).sort());
  });
});

describe('the schemas of --json', () => {
  it('stand in docs/terminal.schema.json as they are (else: npm run docs)', () => {
    expect(readFileSync(new URL('../../docs/terminal.schema.json', import.meta.url), 'utf8')).toBe(jsonLinesDocument());
  });

  it('have a row each', () => {
    const named = rows.flatMap((row) =>
      [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    expect(named.sort()).toEqual(Object.keys(JSON_LINES).sort());
  });
});

describe('the exit codes', () => {
  it('are told, each with its meaning, and no other', () => {
    const table = readPage('docs/cli.md').text.split('| exit code |')[1]?.split('\n\n')[0] ?? '';
    const told = [...table.matchAll(/^\| (\d+) \| \S/gm)].map(([, code]) => Number(code));
    expect(told).toEqual(Object.values(EXIT).toSorted((one, other) => one - other));
  });
});
