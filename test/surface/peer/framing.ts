import type { Shown } from '../row.ts';
import type { PeerArea } from './behaviour.ts';

const wire = (title: string): Shown => ['test/wire/framing.test.ts', title];
const reader = (title: string): Shown => ['test/session/line-reader.test.ts', title];
const session = (title: string): Shown => ['test/slow/session/framing.test.ts', title];

export const FRAMING: PeerArea = {
  area: 'framing of the output',
  least: 16,
  rows: {
    'two objects in one read are two messages': reader('tells messages and control traffic apart, in their order'),
    'a line end inside a text, as JSON escapes it, is part of the text': wire('at every byte (R09)'),
    'several line ends between objects are harmless': session('is told and costs no frame around it (R11)'),
    'one object over many reads is joined': wire('keeps characters whole that come byte by byte (R09)'),
    'a very large object on one line is read': session('of 5 MiB, around 1 MiB, of 16 MiB, and six in a row'),
    'a line over the limit is a typed error that names the limit': reader('is told once, with its size and the limit'),
    'a line over the limit ends the session with that error': [
      'test/slow/supervision/restart.test.ts',
      'of the framing names size and limit and is not repeated (R07, R62)',
    ],
    'the limit is an option, and is checked': [
      'test/launch/highest-limits.test.ts',
      'is accepted, one more is refused',
    ],
    'the limit counts also for a line that arrives together with its end': [
      'test/wire/line-splitter.test.ts',
      'reports a line of one byte more, once, and then takes nothing any more (P9)',
    ],
    'the limit counts before the end of the line is there': [
      'test/wire/line-splitter.test.ts',
      'is noticed before the line has ended, also over several chunks (P9)',
    ],
    'whole and cut messages mix in one stream': wire('returns every message as it was sent, however the bytes are cut'),
    'words that are no JSON are passed over, alone and between messages': reader('becomes one diagnostic each'),
    'words that are no JSON dirty nothing around them': session('is told and costs no frame around it (R11)'),
    'white space inside a text survives the edge of a read': wire('keeps white space that falls on a 64 KiB boundary'),
    'white space at the edges of reads and lines is kept': [
      'test/wire/line-splitter.test.ts',
      'keeps white space at the edges of chunks and lines (R12)',
    ],
    'a whole line that looks like JSON and is none does not vanish': reader('becomes one diagnostic each'),
    'a last message without its line end is delivered': session('delivers a last result without its newline (R13)'),
    'half a last line is dropped, and here that is told': session('drops half a frame, says so'),
  },
};
