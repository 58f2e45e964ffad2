import { isAbsolute, resolve } from 'node:path';

/** Where a path is, and where its links lead. */
export interface Place {
  readonly path: string;
  readonly realPath: string;
}

/** What a tool is about to do, as rules look at it. */
export interface ToolCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The file or folder it names; undefined when it names none. */
  readonly place: Place | undefined;
}

/** Resolves the links of an absolute path as far as it exists; never rejects. */
export type RealPath = (path: string) => Promise<string>;

/** Folders that paths and patterns are relative to; absolute. */
export interface Roots {
  readonly cwd: string;
  readonly home: string;
}

const PATH_FIELDS: Readonly<Record<string, string>> = {
  Read: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Write: 'file_path',
  NotebookRead: 'notebook_path',
  NotebookEdit: 'notebook_path',
  Glob: 'path',
  Grep: 'path',
  LS: 'path',
};

/** Tools that look at whatever lies below the folder they name. */
export const SEARCH_TOOLS: ReadonlySet<string> = new Set(['Glob', 'Grep', 'LS']);

export async function readToolCall(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  roots: Roots,
  realPath: RealPath,
): Promise<ToolCall> {
  const field = PATH_FIELDS[toolName];
  const given = field === undefined ? undefined : input[field];
  const written = given === undefined && SEARCH_TOOLS.has(toolName) ? roots.cwd : given;
  if (typeof written !== 'string' || written === '' || written.includes('\0')) {
    return { toolName, input, place: undefined };
  }
  const path = absolute(written, roots);
  return { toolName, input, place: { path, realPath: await realPath(path) } };
}

/** True for a search that stays below its folder: its own patterns lead nowhere else. */
export function staysBelow({ input }: ToolCall): boolean {
  const patterns = [input['pattern'], input['glob']].filter((value) => value !== undefined);
  return patterns.every(
    (value) => typeof value === 'string' && !value.includes('..') && !isAbsolute(value) && !value.startsWith('~'),
  );
}

function absolute(path: string, { cwd, home }: Roots): string {
  if (path === '~' || path.startsWith('~/')) return resolve(home, path.slice(2));
  return resolve(cwd, path);
}
