// Writes test/replay/survey-table.ndjson: what every recording of the protocol survey is in the neutral model, and how a
// session ends that lives through it. The survey lies beside the checkout, in ../shared/wire.
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';

register('./typescript-loader.mjs', import.meta.url);

const { scenariosOf, SURVEY } = await import('../test/wire/recordings.ts');
const { surveyRow } = await import('../test/replay/survey-rows.ts');

const rows = [];
for (const [version, files] of scenariosOf(SURVEY)) {
  for (const file of files) rows.push(JSON.stringify(await surveyRow(version, file)));
}
writeFileSync(new URL('../test/replay/survey-table.ndjson', import.meta.url), `${rows.join('\n')}\n`);
console.log(`${rows.length} rows`);
