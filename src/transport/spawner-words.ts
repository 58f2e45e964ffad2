/** What to start; everything a process inherits beside this it inherits from the spawner. */
export interface SpawnOrder {
  readonly type: 'start';
  readonly id: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What the host says to its spawner. `begin` comes first and once: where to listen, and what a connection must know. */
export type HostWord = { readonly type: 'begin'; readonly path: string; readonly token: string } | SpawnOrder;

/** What the spawner says to its host. `started` comes before `exited`. */
export type SpawnerWord =
  | { readonly type: 'ready' }
  | { readonly type: 'started'; readonly id: number; readonly pid: number; readonly startTime: string | undefined }
  | { readonly type: 'failed'; readonly id: number; readonly errno: string }
  | {
      readonly type: 'exited';
      readonly id: number;
      readonly exitCode: number | null;
      readonly signal: string | null;
    };

/** Hexadecimal digits of a token, and decimal ones of an id. */
export const TOKEN_LENGTH = 32;
const ID_LENGTH = 12;

/** How many bytes a connection says before it is the pipe of a process. */
export const GREETING_BYTES = TOKEN_LENGTH + ID_LENGTH + 1;

/** What a connection says first: that it may, and which pipe of which process it is to be. */
export function greeting(token: string, id: number, descriptor: number): string {
  return `${token}${String(id).padStart(ID_LENGTH, '0')}${descriptor}`;
}

/** Which pipe of which process a greeting names; undefined for one with another token. */
export function parseGreeting(
  text: string,
  token: string,
): { readonly id: number; readonly descriptor: number } | undefined {
  if (text.length !== GREETING_BYTES || !text.startsWith(token)) return undefined;
  const id = Number(text.slice(TOKEN_LENGTH, TOKEN_LENGTH + ID_LENGTH));
  return { id, descriptor: Number(text.slice(-1)) };
}
