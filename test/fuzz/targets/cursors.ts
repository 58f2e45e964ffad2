import { FleetCursor } from '../../../src/supervision/fleet-cursor.ts';
import { attempt } from '../refusals.ts';
import { type FuzzTarget, holds } from '../target.ts';

export const target: FuzzTarget = {
  name: 'cursors',
  promise: 'P7, P9 A cursor of any text is one, and says the same when it is written again, or is refused.',
  format: 'bytes',
  isGuided: true,
  seeds: () => [
    Buffer.from(''),
    Buffer.from('1.0.'),
    Buffer.from('1.-1.AA'),
    Buffer.from('1.zzzzzzzzzzzz.'),
    Buffer.from(
      String(
        FleetCursor.of(
          [
            ['a', 1],
            ['b', 2 ** 40],
          ],
          1_700_000_000_000,
        ),
      ),
    ),
  ],
  open: () => ({ run: reads }),
};

function reads(input: Buffer): void {
  const read = attempt(() => FleetCursor.parse(input.toString()), 'INVALID_OPTIONS');
  if (!('value' in read)) return;
  const text = String(read.value);
  const again = FleetCursor.parse(text);
  holds(String(again) === text, () => `${text} became ${String(again)}.`);
  holds(again.at === Math.trunc(read.value.at), `The moment ${read.value.at} became ${again.at}.`);
  for (const id of ['a', 'b', '']) {
    const seq = read.value.seqOf(id);
    holds(seq === undefined || (Number.isSafeInteger(seq) && seq >= 0), `The last event of ${id} is ${seq}.`);
  }
}
