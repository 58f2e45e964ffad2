import { join } from 'node:path';
import ts from 'typescript';
import { codeBlocks, type MarkdownPage, ROOT } from './markdown-page.ts';

/** What a reader of the page may take for given: a sample need not make these again. */
const GIVENS = `
import type { Session, Supervisor } from 'troupe';
declare global {
  const supervisor: Supervisor;
  const session: Session;
}
`;

const SUB_PATHS: Readonly<Record<string, string>> = {
  troupe: 'src/index.ts',
  'troupe/machines': 'machines/index.ts',
  'troupe/wire': 'src/wire/index.ts',
  'troupe/server': 'src/server/index.ts',
  'troupe/client': 'src/client/index.ts',
  'troupe/telemetry': 'src/telemetry/index.ts',
  'troupe/testing': 'src/testing/index.ts',
};

/** Type-checks every `ts` block of the pages against the sources. Returns what the compiler says, by page and line. */
export function complaintsAbout(pages: readonly MarkdownPage[]): string[] {
  const samples = new Map<string, { page: MarkdownPage; line: number; code: string }>();
  for (const page of pages) {
    for (const { code, line } of codeBlocks(page).filter(({ language }) => language === 'ts')) {
      const name = join(ROOT, 'docs', `sample-${samples.size}.ts`);
      samples.set(name, { page, line, code: `${code}\nexport {};\n` });
    }
  }
  const givens = join(ROOT, 'docs', 'sample-givens.ts');
  const texts = new Map([...[...samples].map(([name, { code }]) => [name, code] as const), [givens, GIVENS] as const]);
  const program = ts.createProgram([...texts.keys()], compilerOptions(), hostWith(texts));
  return [...samples].flatMap(([name, { page, line }]) => {
    const source = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ start = 0, messageText }) => {
      const offset = source?.getLineAndCharacterOfPosition(start).line ?? 0;
      return `${page.path}:${line + 1 + offset} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}

/** The compiler's own options of this project; readers need not use every name they declare. */
function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, ROOT);
  const paths = Object.fromEntries(Object.entries(SUB_PATHS).map(([name, path]) => [name, [join(ROOT, path)]]));
  return { ...options, noUnusedLocals: false, noUnusedParameters: false, paths };
}

function hostWith(texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const host = ts.createCompilerHost({});
  const { getSourceFile, fileExists, readFile } = host;
  return {
    ...host,
    fileExists: (name) => texts.has(name) || fileExists(name),
    readFile: (name) => texts.get(name) ?? readFile(name),
    getSourceFile: (name, languageVersion, ...rest) => {
      const text = texts.get(name);
      if (text === undefined) return getSourceFile(name, languageVersion, ...rest);
      return ts.createSourceFile(name, text, languageVersion);
    },
  };
}
