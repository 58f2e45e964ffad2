// Lets Node 20 run the TypeScript of the tests: types are stripped, nothing is checked.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import typescript from 'typescript';

const compilerOptions = {
  module: typescript.ModuleKind.ESNext,
  target: typescript.ScriptTarget.ES2023,
  verbatimModuleSyntax: true,
};

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  const { outputText } = typescript.transpileModule(text, { compilerOptions, fileName: fileURLToPath(url) });
  return { format: 'module', source: outputText, shortCircuit: true };
}
