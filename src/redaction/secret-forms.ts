/** Shorter values are not searched: they would be found in everything. UTF-16 units, and bytes of what is cut off of one. */
export const SHORTEST_SECRET = 8;

/** A line of a longer secret is searched by itself from this length on: stderr and listings show one line at a time. */
const SHORTEST_LINE = 16;

/** JSON in JSON in JSON: the arguments of a tool as the model writes them, and what such a tool prints. */
const MOST_JSON_LEVELS = 3;

/** Every spelling in which a secret is looked for: as it is, within JSON texts, in a URL, in base64. */
export function formsOf(secret: string): string[] {
  const values = [secret, ...linesOf(secret)].filter(({ length }) => length >= SHORTEST_SECRET);
  return [...new Set(values.flatMap(spellings))].filter(({ length }) => length >= SHORTEST_SECRET);
}

function spellings(value: string): string[] {
  const forms = [value, encodeURIComponent(Buffer.from(value).toString()), ...base64Forms(value)];
  for (let [level, text] = [0, value]; level < MOST_JSON_LEVELS; level += 1) {
    text = JSON.stringify(text).slice(1, -1);
    forms.push(text, asciiOnly(text));
  }
  return forms;
}

/** As encoders write it that escape everything beyond ASCII. */
function asciiOnly(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * In the middle of a larger text that is encoded, a value has one of three spellings, by how many bytes stand before it.
 * Characters that also depend on its neighbours are left out.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const [first, last] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)];
    const core = encoded.slice(first, last);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Of a key in several lines the frame says nothing. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n|\\n/).map((line) => line.trim());
  if (lines.length === 1) return [];
  return lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'));
}
