import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

it('has published types that the strictest compiler takes', { timeout: 300_000 }, () => {
  const entries = ['src/index', 'machines/index', 'src/wire/index', 'src/testing/index'];
  const program = ts.createProgram(
    entries.map((entry) => `${DIST}${entry}.d.ts`),
    {
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    },
  );
  // Those of xstate do not take exactOptionalPropertyTypes, those of the MCP SDK need the DOM library: ours are asked alone.
  const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(DIST));
  const faults = ours.flatMap((file) => program.getSemanticDiagnostics(file));
  expect(ours.length).toBeGreaterThan(100);
  expect(faults.map(({ file, messageText }) => `${file?.fileName}: ${JSON.stringify(messageText)}`)).toEqual([]);
});
