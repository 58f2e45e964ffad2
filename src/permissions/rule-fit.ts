import { areRelated, type PathPattern, pathIsCovered, pathMayBeIn } from './path-pattern.ts';
import { namesTool, type RuleArgument, type ToolPattern } from './permission-rule.ts';
import { commandIsCovered, commandMayContain, type Fit } from './shell-command.ts';
import { type Place, SEARCH_TOOLS, staysBelow, type ToolCall } from './tool-call.ts';
import { fitsWildcard } from './wildcard.ts';

/** The folder that the pattern of a path begins with. */
export type FolderOf = (pattern: PathPattern) => Place;

/** Narrow, for rules that allow: every reading of the call is covered. Pure. */
export function isCovered(pattern: ToolPattern, call: ToolCall, folderOf: FolderOf): boolean {
  if (!namesTool(pattern, call.toolName)) return false;
  const { argument } = pattern;
  switch (argument?.kind) {
    case undefined:
      return true;
    case 'command':
      // Out of the sandbox is more than the command itself.
      return (
        call.input['dangerouslyDisableSandbox'] !== true && commandIsCovered(argument.pattern, textOf(call, 'command'))
      );
    case 'path':
      return placeIsCovered(argument.pattern, call, folderOf);
    case 'domain':
    case 'name':
      return nameFits(argument, call) === 'yes';
  }
}

/** Wide, for rules that deny or ask: some reading of the call may be meant. Pure. */
export function mayFit(pattern: ToolPattern, call: ToolCall, folderOf: FolderOf): Fit {
  if (!namesTool(pattern, call.toolName) && !isShellBeside(pattern, call)) return 'no';
  const { argument } = pattern;
  switch (argument?.kind) {
    case undefined:
      return 'yes';
    case 'command':
      return typeof call.input['command'] === 'string'
        ? commandMayContain(argument.pattern, call.input['command'])
        : 'perhaps';
    case 'path':
      return placeMayBeIn(argument.pattern, call, folderOf);
    case 'domain':
    case 'name':
      return nameFits(argument, call);
  }
}

/** Monitor hands its command to a shell as Bash does, so what is forbidden there is forbidden here. */
function isShellBeside(pattern: ToolPattern, { toolName, input }: ToolCall): boolean {
  return toolName === 'Monitor' && input['command'] !== undefined && namesTool(pattern, 'Bash');
}

function placeIsCovered(pattern: PathPattern, call: ToolCall, folderOf: FolderOf): boolean {
  const { place } = call;
  if (place === undefined) return false;
  // A search reads what lies below, so only a rule for all of it covers it.
  if (SEARCH_TOOLS.has(call.toolName) && (pattern.rest.at(-1) !== '**' || !staysBelow(call))) return false;
  const folder = folderOf(pattern);
  return pathIsCovered(pattern, folder.path, place.path) && pathIsCovered(pattern, folder.realPath, place.realPath);
}

function placeMayBeIn(pattern: PathPattern, call: ToolCall, folderOf: FolderOf): Fit {
  const { place } = call;
  if (place === undefined) return 'perhaps';
  const folder = folderOf(pattern);
  const folders = new Set([folder.path, folder.realPath]);
  const paths = new Set([place.path, place.realPath]);
  const some = (fits: (folder: string, path: string) => boolean) =>
    [...folders].some((one) => [...paths].some((path) => fits(one, path)));
  if (some((one, path) => pathMayBeIn(pattern, one, path))) return 'yes';
  // Some file systems take two spellings for one name.
  const folded = { ...pattern, rest: pattern.rest.map(foldCase) };
  if (some((one, path) => pathMayBeIn(folded, foldCase(one), foldCase(path)))) return 'perhaps';
  if (!SEARCH_TOOLS.has(call.toolName)) return 'no';
  return !staysBelow(call) || some(areRelated) ? 'perhaps' : 'no';
}

function nameFits(argument: Extract<RuleArgument, { kind: 'domain' | 'name' }>, call: ToolCall): Fit {
  if (argument.kind === 'name') {
    const name = textOf(call, argument.field);
    if (name === '') return 'perhaps';
    return fitsWildcard(argument.pattern, name) ? 'yes' : 'no';
  }
  const host = hostOf(textOf(call, 'url'));
  if (host === undefined) return 'perhaps';
  return fitsWildcard(argument.pattern, host) ? 'yes' : 'no';
}

function hostOf(url: string): string | undefined {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(text)) return undefined;
  const { hostname } = new URL(text);
  return hostname === '' ? undefined : hostname.toLowerCase().replace(/\.$/, '');
}

function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function textOf(call: ToolCall, field: string): string {
  const value = call.input[field];
  return typeof value === 'string' ? value : '';
}
