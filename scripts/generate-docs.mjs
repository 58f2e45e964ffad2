// Writes the documents that are derived from the built sources. Run it by `npm run docs`, which builds first.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as machines from '../dist/machines/index.js';
import { ERROR_CODES } from '../dist/src/errors.js';
import { OPTION_SUPPORT, PART_SUPPORT } from '../dist/src/launch/option-support.js';
import { diagramDocuments, endingsDocument, errorDocument, optionsDocument } from './documents.mjs';

const documents = {
  ...diagramDocuments(machines),
  'docs/errors.md': errorDocument(ERROR_CODES),
  'docs/endings.md': endingsDocument(machines.ENDINGS),
  'docs/options.md': optionsDocument({ ...OPTION_SUPPORT, ...PART_SUPPORT }),
};

for (const [path, text] of Object.entries(documents)) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
