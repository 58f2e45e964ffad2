import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isThere, SURVEY, scenariosOf } from '../wire/recordings.ts';
import { surveyRow } from './survey-rows.ts';

/** One row per recording of the protocol survey, as JSON; made anew with `npm run survey`. */
const TABLE = new URL('./survey-table.ndjson', import.meta.url);

describe.runIf(isThere(SURVEY))('every recording of the protocol survey', () => {
  const rows = readFileSync(TABLE, 'utf8').split('\n').filter(Boolean);

  it('is in the table, and nothing else is', () => {
    const files = [...scenariosOf(SURVEY).values()].flat();
    expect(rows.length).toBe(files.length);
  });

  for (const [version, files] of isThere(SURVEY) ? scenariosOf(SURVEY) : []) {
    it(`of ${version} gives the neutral messages and the ends of sessions that the table says (else: npm run survey)`, async () => {
      const found: string[] = [];
      for (const file of files) found.push(JSON.stringify(await surveyRow(version, file)));
      const name = `{"name":"${version}/`;
      expect(found).toEqual(rows.filter((row) => row.startsWith(name)));
    }, 120_000);
  }
});
