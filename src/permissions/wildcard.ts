/**
 * Whether a whole text fits a pattern in which `*` stands for any characters, also none. Two pointers instead of a regular
 * expression: time is bounded by the product of both lengths, whatever the pattern (P10).
 */
export function fitsWildcard(pattern: string, text: string): boolean {
  let [at, position] = [0, 0];
  let [star, retry] = [-1, 0];
  while (position < text.length) {
    if (pattern[at] === '*') {
      [star, retry] = [at, position];
      at += 1;
    } else if (at < pattern.length && pattern[at] === text[position]) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      retry += 1;
      [at, position] = [star + 1, retry];
    } else {
      return false;
    }
  }
  return [...pattern.slice(at)].every((rest) => rest === '*');
}
