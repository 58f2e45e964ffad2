import { describe, expect, it } from 'vitest';
import { SummaryAnswer } from '../../src/api/session-answers.ts';
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
