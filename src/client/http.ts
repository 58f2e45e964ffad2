import { ERROR_CODES, type ErrorCode, TroupeError } from '../errors.ts';
import { backoffMs, pause } from './backoff.ts';

export interface HttpOptions {
  readonly url: string;
  readonly token?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds in which the server has to begin an answer, beside what it was asked to wait. Default 30 000. */
  readonly timeoutMs?: number | undefined;
}

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The same request twice is the same as once: it is repeated while the server cannot be reached. Default: for GET. */
  readonly isRepeatable?: boolean;
  /** Repeated for as long as that takes, and also while the server is on its way down. Default false: for some seconds. */
  readonly isPatient?: boolean;
  /** How long the server was asked to wait. Default 0. */
  readonly waitMs?: number;
}

const MOST_TRIES = 6;

/** Requests to one server: JSON both ways, errors with the codes of the library. */
export class Http {
  readonly #options: HttpOptions;
  readonly #fetch: typeof fetch;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
  }

  /** Rejects with the error that the server told, with SERVER_UNREACHABLE, or with ABORTED. */
  async ask<Answer>(path: string, ask: Ask = {}): Promise<Answer> {
    const { method = 'GET', isRepeatable = method === 'GET' } = ask;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#once<Answer>(path, ask);
      } catch (error) {
        const mayRepeat = ask.isPatient === true ? isAway(error) : isRepeatable && isLost(error) && tries < MOST_TRIES;
        if (!mayRepeat) throw error;
        await pause(backoffMs(tries), ask.signal);
      }
    }
  }

  /** A response whose body is read by whoever asked. */
  async open(path: string, ask: Ask): Promise<Response> {
    const { method = 'GET', body, query = {}, headers = {}, signal } = ask;
    const { url, token } = this.#options;
    const target = new URL(`${url.replace(/\/+$/, '')}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    let response: Response;
    try {
      response = await this.#fetch(target, {
        method,
        headers: {
          accept: 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // In a browser the page of the server has a cookie instead of a token.
        credentials: 'same-origin',
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      throw lost(error, signal);
    }
    if (response.ok) return response;
    throw await refusalOf(response);
  }

  async #once<Answer>(path: string, ask: Ask): Promise<Answer> {
    const { timeoutMs = 30_000 } = this.#options;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs + (ask.waitMs ?? 0));
    const signal = ask.signal === undefined ? deadline.signal : AbortSignal.any([ask.signal, deadline.signal]);
    try {
      const response = await this.open(path, { ...ask, signal });
      const text = await response.text();
      // What the server says is described by its OpenAPI document, and not checked again here.
      return (text === '' ? undefined : JSON.parse(text)) as Answer;
    } catch (error) {
      throw TroupeError.is(error) && error.code !== 'ABORTED' ? error : lost(error, ask.signal);
    } finally {
      clearTimeout(timer);
    }
  }
}

function isLost(error: unknown): boolean {
  return TroupeError.is(error) && error.code === 'SERVER_UNREACHABLE';
}

/** Nobody answers, be it that a proxy says so; or whoever does will soon be gone. */
function isAway(error: unknown): boolean {
  if (!TroupeError.is(error)) return false;
  const { httpStatus } = error.details;
  return isLost(error) || error.code === 'SERVER_CLOSING' || httpStatus === 502 || httpStatus === 504;
}

function lost(error: unknown, signal: AbortSignal | undefined): TroupeError {
  if (signal?.aborted === true) return new TroupeError('ABORTED', { cause: signal.reason });
  return new TroupeError('SERVER_UNREACHABLE', { cause: error });
}

interface Problem {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly details?: unknown;
}

/** A `problem+json` as the error that the library would have thrown. */
async function refusalOf(response: Response): Promise<TroupeError> {
  const problem = await response.json().catch(() => undefined);
  const { code, detail, details } = (problem ?? {}) as Problem;
  const facts = typeof details === 'object' && details !== null ? details : {};
  const retryAfter = Number(response.headers.get('retry-after'));
  const told = {
    ...facts,
    httpStatus: response.status,
    ...(retryAfter > 0 ? { retryAfterMs: retryAfter * 1_000 } : {}),
  };
  if (!isKnown(code)) {
    const reason = typeof detail === 'string' ? detail : `It answered with status ${response.status}.`;
    return new TroupeError('SERVER_REFUSED', { reason, details: { ...told, ...(code === undefined ? {} : { code }) } });
  }
  const sentence = ERROR_CODES[code];
  const said = typeof detail === 'string' ? detail : '';
  const reason = said.startsWith(sentence) ? said.slice(sentence.length).trim() : said;
  return new TroupeError(code, { reason: reason === '' ? undefined : reason, details: told });
}

function isKnown(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
}
