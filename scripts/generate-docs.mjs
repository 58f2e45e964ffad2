// Writes the documents that are derived from the sources and what is built of them. Run it by `npm run docs`, which builds first.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as machines from '../dist/machines/index.js';
import { ERROR_CODES } from '../dist/src/index.js';
import { apiDocument } from './api-document.mjs';
import {
  diagramDocuments,
  endingsDocument,
  errorDocument,
  featuresDocument,
  optionsDocument,
  withCharts,
} from './documents.mjs';

register('./typescript-loader.mjs', import.meta.url);
const { jsonLinesDocument } = await import('../src/cli/json-lines.ts');
const { OPTION_SUPPORT, PART_SUPPORT } = await import('../src/launch/option-support.ts');
const { FEATURES, hasFeature, MEASURED_RELEASES } = await import('../src/wire/features.ts');
const { EXAMPLE_CHARTS } = await import('../docs/examples/charts.ts');

const documents = {
  'docs/api.md': apiDocument(),
  ...diagramDocuments(machines),
  'docs/errors.md': errorDocument(ERROR_CODES),
  'docs/cli-versions.md': featuresDocument(FEATURES, MEASURED_RELEASES, hasFeature),
  'docs/endings.md': endingsDocument(machines.ENDINGS),
  'docs/terminal.schema.json': jsonLinesDocument(),
  'docs/options.md': optionsDocument({ ...OPTION_SUPPORT, ...PART_SUPPORT }),
};

const COMPOSE = 'docs/compose.md';
documents[COMPOSE] = withCharts(readFileSync(new URL(`../${COMPOSE}`, import.meta.url), 'utf8'), EXAMPLE_CHARTS);

for (const [path, text] of Object.entries(documents)) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
