import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** `read`: look at everything. `answer`: settle questions. `control`: start, prompt, change and end sessions. */
export type Scope = 'read' | 'answer' | 'control';

export const SCOPES: readonly Scope[] = ['read', 'answer', 'control'];

/** One who may ask. */
export interface Token {
  /** Stands in the log with what its holder decides. */
  readonly name: string;
  readonly token: string;
  readonly scopes: readonly Scope[];
}

/** Who asks. */
export interface Caller {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Whether a browser sent a cookie by itself, or somebody a token on purpose. */
  readonly by: 'token' | 'cookie';
}

export interface AccessOptions {
  readonly tokens: readonly Token[];
  readonly now: () => number;
}

/** How long a browser stays logged in. */
const LOGIN_MS = 30 * 24 * 60 * 60_000;
/** Codes that were given out and not used; the oldest go. */
const MOST_CODES = 100;
/** Each takes a login that was valid. */
const MOST_REVOKED = 10_000;
const CODE_MS = 24 * 60 * 60_000;

/**
 * Who may ask what. A browser gets a cookie for a code that works once; the cookie is a signature by the token, so it outlives
 * the server and dies with the token.
 */
export class Access {
  readonly #tokens: readonly Token[];
  readonly #now: () => number;
  /** Cookies that were logged out, with the end of each. */
  readonly #revoked = new Map<string, number>();
  /** Of each code that has not been used: whose it is, and until when. By its digest. */
  readonly #codes = new Map<string, { readonly token: Token; readonly until: number }>();

  constructor({ tokens, now }: AccessOptions) {
    this.#tokens = tokens;
    this.#now = now;
  }

  /** The holder of a token; all are compared, each in constant time. */
  byToken(given: string): Caller | undefined {
    let found: Token | undefined;
    for (const token of this.#tokens) if (isSame(given, token.token)) found = token;
    return found === undefined ? undefined : callerOf(found, 'token');
  }

  byCookie(value: string): Caller | undefined {
    const [name = '', until = '', signature = ''] = value.split('.');
    const token = this.#tokens.find((one) => encoded(one.name) === name);
    if (token === undefined || !/^\d{1,15}$/.test(until) || Number(until) <= this.#now()) return undefined;
    if (this.#revoked.has(`${name}.${until}`)) return undefined;
    return isSame(signature, signed(token, until)) ? callerOf(token, 'cookie') : undefined;
  }

  /** The cookie counts no more, also for whoever has a copy of it. The newest are remembered while the server runs. */
  revoke(value: string): void {
    if (this.byCookie(value) === undefined) return;
    const [name = '', until = ''] = value.split('.');
    this.#revoked.set(`${name}.${until}`, Number(until));
    for (const [one, end] of this.#revoked) if (end <= this.#now()) this.#revoked.delete(one);
    const [oldest] = this.#revoked.keys();
    if (this.#revoked.size > MOST_REVOKED && oldest !== undefined) this.#revoked.delete(oldest);
  }

  /** A code with which the holder of the token, by default the first one, logs a browser in, once. */
  issueCode(name?: string): string {
    const token = this.#tokens.find((one) => name === undefined || one.name === name);
    if (token === undefined) throw new Error('There is no such token.');
    const code = randomBytes(32).toString('base64url');
    this.#codes.set(digestOf(code).toString('hex'), { token, until: this.#now() + CODE_MS });
    const [oldest] = this.#codes.keys();
    if (this.#codes.size > MOST_CODES && oldest !== undefined) this.#codes.delete(oldest);
    return code;
  }

  /** Uses up a code, or takes a token as it is. Undefined for neither. The value is that of the cookie. */
  login(given: string): { readonly cookie: string; readonly maxAgeSeconds: number } | undefined {
    const key = digestOf(given).toString('hex');
    const code = this.#codes.get(key);
    this.#codes.delete(key);
    const byCode = code !== undefined && code.until > this.#now() ? code.token : undefined;
    const token = byCode ?? this.#tokens.find((one) => isSame(given, one.token));
    if (token === undefined) return undefined;
    const until = String(this.#now() + LOGIN_MS);
    const cookie = `${encoded(token.name)}.${until}.${signed(token, until)}`;
    return { cookie, maxAgeSeconds: Math.floor(LOGIN_MS / 1000) };
  }
}

/** A token nobody can guess. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Of equal length whatever is given, so that the time tells nothing. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(wanted));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function signed(token: Token, until: string): string {
  return createHmac('sha256', token.token).update(`troupe login ${token.name} ${until}`).digest('base64url');
}

function encoded(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function callerOf({ name, scopes }: Token, by: Caller['by']): Caller {
  return { name, scopes, by };
}
