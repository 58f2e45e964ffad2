import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The public entries, by the path one imports. */
export const API_ENTRIES = {
  troupe: 'src/index.ts',
  'troupe/machines': 'machines/index.ts',
  'troupe/wire': 'src/wire/index.ts',
  'troupe/server': 'src/server/index.ts',
  'troupe/client': 'src/client/index.ts',
  'troupe/telemetry': 'src/telemetry/index.ts',
  'troupe/testing': 'src/testing/index.ts',
};

/** A signature longer than this says less than the type does in an editor. */
const MAX_SIGNATURE = 260;

const KINDS = ['Functions', 'Classes', 'Constants', 'Types'];

/** Everything that the entries export, as a page: name, signature, and the first sentence of what is said about it. */
export function apiDocument(entries = API_ENTRIES) {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const files = Object.values(entries).map((entry) => ROOT + entry);
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const sections = Object.entries(entries).map(([path, entry]) => [
    `## ${path}`,
    '',
    ...sectionOf(exportsOf(program.getSourceFile(ROOT + entry), checker), checker),
  ]);
  return `${[
    '# The interface',
    '',
    'Everything that the package exports, by the path one imports it from: its signature, and the first sentence of what its',
    'declaration says. The whole stands in the declarations, where an editor shows it. This page is generated from the sources: run',
    '`npm run docs` after a change. What is on it follows [semantic versions](../CHANGELOG.md); a path that is not on it is no interface.',
    '',
    ...sections.flat(),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

function exportsOf(source, checker) {
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
  return exported.map((symbol) => {
    const target = (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
    const declaration = target.valueDeclaration ?? target.declarations?.[0];
    return { name: symbol.name, symbol: target, declaration };
  });
}

function sectionOf(exported, checker) {
  const lines = [];
  for (const kind of KINDS) {
    const ofKind = exported
      .filter(({ declaration }) => kindOf(declaration) === kind)
      // By code units: the order must not depend on the language of whoever generates the page.
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    if (ofKind.length === 0) continue;
    lines.push(`### ${kind}`, '', '| signature | |', '|---|---|');
    for (const entry of ofKind) lines.push(rowOf(entry.name, entry.symbol, signaturesOf(entry, checker), checker));
    lines.push('');
    if (kind === 'Classes') lines.push(...ofKind.flatMap((entry) => membersOf(entry, checker)));
  }
  return lines;
}

function kindOf(declaration) {
  if (ts.isClassDeclaration(declaration)) return 'Classes';
  if (ts.isFunctionDeclaration(declaration) || functionOf(declaration) !== undefined) return 'Functions';
  return ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration) ? 'Types' : 'Constants';
}

/** The members of a class that others may use, as a table of its own. */
function membersOf({ name, declaration }, checker) {
  const members = withInherited(declaration, checker).filter((member) => {
    if (member.name === undefined || ts.isPrivateIdentifier(member.name)) return false;
    return (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.NonPublicAccessibilityModifier) === 0;
  });
  const byName = new Map();
  for (const member of members) {
    const key = member.name.getText();
    byName.set(key, [...(byName.get(key) ?? []), member]);
  }
  const rows = [...byName].map(([member, declarations]) => {
    const shown = declarations.some((one) => ts.isMethodDeclaration(one) && one.body === undefined)
      ? declarations.filter((one) => one.body === undefined)
      : declarations.slice(0, 1);
    const symbol = checker.getSymbolAtLocation(declarations[0].name);
    return rowOf(
      member,
      symbol,
      shown.map((one) => memberSignature(one, checker)),
      checker,
    );
  });
  if (rows.length === 0) return [];
  return [`#### Members of ${name}`, '', '| signature | |', '|---|---|', ...rows, ''];
}

/** Also what a base class of ours gives, which is no export of its own. */
function withInherited(declaration, checker) {
  const [base] = (declaration.heritageClauses ?? []).filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const found = base === undefined ? undefined : checker.getTypeAtLocation(base.types[0]).symbol?.valueDeclaration;
  if (found === undefined || !ts.isClassDeclaration(found) || found.getSourceFile().fileName.includes('/node_modules/'))
    return [...declaration.members];
  const own = new Set(declaration.members.map((member) => member.name?.getText()));
  return [
    ...declaration.members,
    ...withInherited(found, checker).filter((member) => !own.has(member.name?.getText())),
  ];
}

function memberSignature(member, checker) {
  if (ts.isMethodDeclaration(member)) return callOf(member, checker);
  if (ts.isAccessor(member))
    return `: ${(member.type ?? member.parameters[0]?.type)?.getText() ?? typeOf(member, checker)}`;
  return `: ${member.type?.getText() ?? typeOf(member, checker)}`;
}

function signaturesOf({ symbol, declaration }, checker) {
  if (ts.isFunctionDeclaration(declaration)) {
    const overloads = symbol.declarations.filter(ts.isFunctionDeclaration);
    const shown = overloads.length > 1 ? overloads.filter((one) => one.body === undefined) : overloads;
    return shown.map((one) => callOf(one, checker));
  }
  const called = functionOf(declaration);
  if (called !== undefined) return [callOf(called, checker)];
  if (ts.isClassDeclaration(declaration)) return [`class${parametersOf(declaration)}${basesOf(declaration)}`];
  if (ts.isInterfaceDeclaration(declaration))
    return [`${parametersOf(declaration)}${basesOf(declaration)} { ${fieldsOf(declaration)} }`];
  if (ts.isTypeAliasDeclaration(declaration)) return [`${parametersOf(declaration)} = ${declaration.type.getText()}`];
  return [`: ${declaration.type?.getText() ?? typeOf(declaration, checker)}`];
}

function functionOf(declaration) {
  if (!ts.isVariableDeclaration(declaration) || declaration.initializer === undefined) return undefined;
  const { initializer } = declaration;
  return ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer) ? initializer : undefined;
}

function callOf(node, checker) {
  const parameters = node.parameters.map((parameter) => {
    const name = ts.isIdentifier(parameter.name) ? parameter.name.text : 'options';
    const isOptional = parameter.questionToken !== undefined || parameter.initializer !== undefined;
    const type = parameter.type?.getText() ?? typeOf(parameter, checker);
    return `${parameter.dotDotDotToken === undefined ? '' : '...'}${name}${isOptional ? '?' : ''}: ${type}`;
  });
  const signature = checker.getSignatureFromDeclaration(node);
  const result = node.type?.getText() ?? checker.typeToString(checker.getReturnTypeOfSignature(signature));
  return `${parametersOf(node)}(${parameters.join(', ')}): ${result}`;
}

function parametersOf(node) {
  return node.typeParameters === undefined ? '' : `<${node.typeParameters.map((one) => one.getText()).join(', ')}>`;
}

function basesOf(node) {
  return (node.heritageClauses ?? []).map((clause) => ` ${clause.getText()}`).join('');
}

function fieldsOf(node) {
  const names = node.members.map((member) => {
    if (member.name === undefined) return member.getText();
    return `${member.name.getText()}${member.questionToken === undefined ? '' : '?'}`;
  });
  return [...new Set(names)].join(', ');
}

/** What the compiler infers: by its name where it has one, since a schema or a machine written out fills pages. */
function typeOf(node, checker) {
  const type = checker.getTypeAtLocation(node);
  const name = type.symbol?.name;
  if (name !== undefined && !name.startsWith('__')) return name;
  const whole = checker.typeToString(type, node, ts.TypeFormatFlags.NoTruncation);
  if (whole.length <= MAX_SIGNATURE || name === undefined) return whole;
  return `{ ${type
    .getProperties()
    .map((property) => property.name)
    .join(', ')} }`;
}

function rowOf(name, symbol, signatures, checker) {
  const shown = signatures.map((signature) =>
    spanOf(`${name}${signature.startsWith('class') ? ': ' : ''}${signature}`),
  );
  return `| ${shown.join('<br>')} | ${cellOf(firstSentence(symbol, checker))} |`;
}

function spanOf(code) {
  const line = code
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/= \| /g, '= ')
    .replaceAll('( ', '(')
    .replaceAll(', )', ')')
    .trim();
  const cut = line.length > MAX_SIGNATURE ? `${line.slice(0, MAX_SIGNATURE).trimEnd()} …` : line;
  const fence = cut.includes('`') ? '``' : '`';
  return `${fence}${cut.replaceAll('|', '\\|')}${fence}`;
}

function cellOf(text) {
  return text.replaceAll('|', '\\|').replace(/<(?=[\w/])/g, '&lt;');
}

function firstSentence(symbol, checker) {
  const text = ts
    .displayPartsToString(symbol?.getDocumentationComment(checker))
    .replace(/\{@link ([^}]+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
  return /^.*?[.!?](?= [A-Z`"(]|$)/.exec(text)?.[0] ?? text;
}
