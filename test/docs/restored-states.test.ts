import { expect, it } from 'vitest';
import { RESTORED, WITH_ITS_HOST, WITH_ITS_PROCESS } from '../machines/restore-subjects.ts';
import { readPage } from './markdown-page.ts';

const { text } = readPage('docs/restored-states.md');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, machine = '', state = '', becomes = '']) => ({ machine, state, becomes }));

it('docs/restored-states.md has a row for every state that comes back, and for nothing else', () => {
  const states = Object.entries(RESTORED).flatMap(([machine, { comebacks }]) =>
    Object.keys(comebacks).map((state) => `${machine} \`${state}\``),
  );
  const gone = [...WITH_ITS_PROCESS, ...WITH_ITS_HOST].map((machine) => `${machine} each`);

  expect(rows.map(({ machine, state }) => `${machine} ${state}`).toSorted()).toEqual([...states, ...gone].toSorted());
});

it.each(rows.filter(({ state }) => state !== 'each'))('says of $machine $state what its test says', (row) => {
  const named = [...row.becomes.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  const promised = RESTORED[row.machine]?.comebacks[row.state.replaceAll('`', '')]?.split(', ');

  expect(named.toSorted()).toEqual(promised?.toSorted());
});
