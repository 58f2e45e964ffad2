/** What a child process may inherit from the one that runs Troupe; read anew at every start, never kept. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The Node executable, for a CLI that is a script. */
  readonly execPath: string;
}

export function currentHost(): Host {
  return { env: process.env, cwd: process.cwd(), execPath: process.execPath };
}
