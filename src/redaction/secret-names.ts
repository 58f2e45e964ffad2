type Variables = Readonly<Record<string, string | undefined>>;

/** One of these words makes the name of a secret: `ANTHROPIC_API_KEY`, `dbPassword`, `X-Auth-Token`. */
const WORDS = new Set(
  'KEY APIKEY TOKEN SECRET SECRETS PASSWORD PASSWD PASS PASSPHRASE PWD CREDENTIAL CREDENTIALS AUTH AUTHORIZATION COOKIE DSN'.split(
    ' ',
  ),
);

/** What a name says last, when its value is about a secret and none: a place, a bound, a kind. */
const HARMLESS_ENDINGS = new Set('FILE PATH DIR SOCK MS TTL HELPER TYPE METHOD DESCRIPTOR COUNT'.split(' '));

/** Names of secrets by their words, and none. */
const HARMLESS = new Set(['PWD', 'OLDPWD', 'GOOGLE_APPLICATION_CREDENTIALS', 'XAUTHORITY']);

/** Headers that everybody may know; every other header of an MCP server may be how it knows its client. */
const HARMLESS_HEADERS = new Set(
  'accept accept-encoding accept-language cache-control connection content-type host origin user-agent'.split(' '),
);

/** A password within an address: `postgres://user:password@host`. */
const IN_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:([^/?#\s@]+)@/i;

/** How the credential of an `Authorization` header is introduced. */
const SCHEME = /^[A-Za-z]+ +/;

/**
 * The secrets among variables: by name, by the patterns of `declared` (`*` for any letters; `!` before one that is none
 * whatever it is called), and passwords in addresses.
 */
export function secretVariables(variables: Variables, declared: readonly string[] = []): string[] {
  const harmless = declared.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const secrets: string[] = [];
  for (const name of Object.keys(variables)) {
    const value = variables[name];
    if (value === undefined || value === '' || harmless.some((pattern) => fits(pattern, name))) continue;
    if (declared.some((pattern) => fits(pattern, name)) || isSearchedName(name)) secrets.push(value);
    if (value.includes('://')) secrets.push(...inAddress(value));
  }
  return secrets;
}

/** The secrets of MCP servers: variables as above, and headers but the well-known. */
export function secretsOfServers(servers: unknown, declared: readonly string[] = []): string[] {
  if (typeof servers !== 'object' || servers === null) return [];
  return Object.values(servers).flatMap((server: unknown) => {
    if (typeof server !== 'object' || server === null) return [];
    const { env, headers, url } = server as { env?: unknown; headers?: unknown; url?: unknown };
    return [
      ...secretVariables(textsOf(env), declared),
      ...Object.entries(textsOf(headers))
        .filter(([name]) => !HARMLESS_HEADERS.has(name.toLowerCase()))
        .flatMap(([, value]) => [value, value.replace(SCHEME, '')]),
      ...(typeof url === 'string' ? inAddress(url) : []),
    ];
  });
}

/** The variables of a host are looked at with each session, and are the same ones. */
const judged = new Map<string, boolean>();
const JUDGED_KEPT = 1_000;

/** Narrower than what is not stored (`isSecretName`): a value that is searched is taken out wherever it stands. */
export function isSearchedName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isSearched = judge(name);
  if (judged.size >= JUDGED_KEPT) judged.clear();
  judged.set(name, isSearched);
  return isSearched;
}

function judge(name: string): boolean {
  if (HARMLESS.has(name.toUpperCase())) return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/);
  return words.some((word) => WORDS.has(word)) && !HARMLESS_ENDINGS.has(words.at(-1) ?? '');
}

/** True when the pattern is the name, or its `*` stand for what is missing; upper and lower case are the same. */
export function fits(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(name);
}

function inAddress(value: string): string[] {
  const password = IN_ADDRESS.exec(value)?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

function textsOf(entries: unknown): Record<string, string> {
  if (typeof entries !== 'object' || entries === null) return {};
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
