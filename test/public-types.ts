import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Reads the sources of some entry points once, as the build does. */
export function readSources(entries: readonly string[]): ts.Program {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  return ts.createProgram(
    entries.map((entry) => ROOT + entry),
    options,
  );
}

/**
 * The types of ours that a public signature of the entry mentions, at any depth, and that the entry does not export; each
 * with a type that mentions it.
 */
export function unnameableTypes(program: ts.Program, entry: string): readonly string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(ROOT + entry);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} is no module.`);
  const exported = new Set(checker.getExportsOfModule(module).map((symbol) => targetOf(symbol, checker)));
  const mentions = new Map<string, string>();
  const seen = new Set<ts.Declaration>();

  const declare = (symbol: ts.Symbol) => {
    for (const declaration of oursOf(symbol)) {
      if (seen.has(declaration)) continue;
      seen.add(declaration);
      walk(declaration, symbol.name);
    }
  };
  const walk = (node: ts.Node, from: string): void => {
    if (isHidden(node)) return;
    const name = typeNameOf(node);
    const raw = name === undefined ? undefined : checker.getSymbolAtLocation(name);
    if (raw !== undefined) {
      const symbol = targetOf(raw, checker);
      // A base is looked through: its members are those of the type that has it.
      if (!exported.has(symbol) && !ts.isHeritageClause(node.parent) && isNameable(symbol))
        mentions.set(symbol.name, from);
      declare(symbol);
    }
    ts.forEachChild(node, (child) => {
      if (!isImplementation(node, child)) walk(child, from);
    });
  };

  for (const symbol of exported) declare(symbol);
  return [...mentions].map(([name, from]) => `${name}, of ${from}`).toSorted();
}

function targetOf(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

function oursOf(symbol: ts.Symbol): readonly ts.Declaration[] {
  return (symbol.declarations ?? []).filter((declaration) => {
    const { fileName } = declaration.getSourceFile();
    return fileName.startsWith(ROOT) && !fileName.includes('/node_modules/');
  });
}

/** A type that stands in a module by itself: no parameter of another one, no constant, no abbreviation of its own module. */
function isNameable(symbol: ts.Symbol): boolean {
  return oursOf(symbol).some((declaration) => {
    const isType =
      ts.isInterfaceDeclaration(declaration) ||
      ts.isClassDeclaration(declaration) ||
      ts.isTypeAliasDeclaration(declaration);
    if (!isType) return false;
    return (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) !== 0;
  });
}

/** What nobody outside sees: members that are not public, and constructors, since ours are called by ourselves. */
function isHidden(node: ts.Node): boolean {
  if (ts.isConstructorDeclaration(node)) return true;
  if (!ts.isClassElement(node)) return false;
  const isPrivate = (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.NonPublicAccessibilityModifier) !== 0;
  return isPrivate || (node.name !== undefined && ts.isPrivateIdentifier(node.name));
}

/** The body of a function, and the value of a property or parameter. */
function isImplementation(node: ts.Node, child: ts.Node): boolean {
  if (ts.isFunctionLike(node)) return 'body' in node && node.body === child;
  const hasValue = ts.isPropertyDeclaration(node) || ts.isParameter(node) || ts.isVariableDeclaration(node);
  return hasValue && node.initializer === child;
}

function typeNameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  if (ts.isImportTypeNode(node)) return node.qualifier;
  return undefined;
}
