import { expect, it } from 'vitest';
import { endings } from '../../machines/child/endings.ts';
import { ENDING_ROWS } from './ending-rows.ts';
import { faultOf } from './row.ts';

it.each(endings())('the ending "%s" is shown with a real process, or it is said why not (P8)', (ending) => {
  const row = ENDING_ROWS[ending];

  expect(faultOf(row)).toBeUndefined();
  expect('missing' in row || row[0].startsWith('test/slow/')).toBe(true);
});
