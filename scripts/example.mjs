// Runs an example of docs/examples against the real CLI and the offline model: `npm run example -- review-pipeline`. Needs dist.
import { readdirSync } from 'node:fs';
import { register } from 'node:module';

const FOLDER = new URL('../docs/examples/', import.meta.url);
const names = readdirSync(FOLDER)
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => name.startsWith('review-') && !name.includes('.'));

const [name] = process.argv.slice(2);
if (name !== undefined && names.includes(name)) {
  register('./typescript-loader.mjs', import.meta.url);
  await import(new URL(`${name}.ts`, FOLDER).href);
} else {
  console.error(`Name one of: ${names.join(', ')}`);
  process.exitCode = 2;
}
