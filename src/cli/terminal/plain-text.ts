/** What stands for a character that a terminal would obey, or that would hide or turn the text around it. */
const MARK = '\u{fffd}';

/** All that steers: control characters, marks of direction, invisible ones. The joiner of emoji is none of them. */
const STEERING = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200d)\p{Cf}/gu;

/**
 * The text of somebody else, an agent or a tool, with nothing in it that a terminal would obey; line feeds stay. Each character is
 * looked at by itself, so that text may come in pieces.
 */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\t', '  ').replaceAll(STEERING, MARK);
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plain(text).replaceAll('\n', ' ');
}
