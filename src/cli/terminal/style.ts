import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { plain } from './plain-text.ts';

type Paint = (text: string) => string;

/** Colours, or none of them. What is painted is made harmless, whoever it comes from. */
export interface Style {
  readonly text: Paint;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly cyan: Paint;
  readonly inverse: Paint;
}

export const COLORLESS: Style = {
  text: plain,
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  blue: plain,
  cyan: plain,
  inverse: plain,
};

const COLORED: Style = {
  text: plain,
  bold: painted('bold'),
  dim: painted('dim'),
  red: painted('red'),
  green: painted('green'),
  yellow: painted('yellow'),
  blue: painted('blue'),
  cyan: painted('cyan'),
  inverse: painted('inverse'),
};

/** Colours for a terminal that has them, unless `NO_COLOR` is set; none for everything else. */
export function styleOf(stream: Pick<WriteStream, 'isTTY'>, env: NodeJS.ProcessEnv = process.env): Style {
  const isRefused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return stream.isTTY === true && !isRefused ? COLORED : COLORLESS;
}

/** Whether there are to be colours is decided above, not by Node. */
function painted(format: Exclude<keyof Style, 'text'>): Paint {
  return (text) => styleText(format, plain(text), { validateStream: false });
}
