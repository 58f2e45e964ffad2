/** How a text can be written: as it is, in JSON, in JSON in JSON, in a URL, and in base64 wherever in a longer text it begins. */
export function spellingsOf(canary: string): string[] {
  const once = JSON.stringify(canary).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  const thrice = JSON.stringify(twice).slice(1, -1);
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(canary)]).toString('base64');
    return text.slice(offset === 0 ? 0 : 4, -4);
  });
  return [canary, once, twice, thrice, encodeURIComponent(canary), ...inBase64];
}
