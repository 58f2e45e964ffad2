import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import type { Problem } from '../api/problem.ts';
import { ERROR_CODES, type ErrorCode, TroupeError } from '../errors.ts';
import type { ServerSettings } from './server-options.ts';

/** The status of each code that is not the fault of the server (500). */
const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  REQUEST_INVALID: 400,
  INVALID_OPTIONS: 400,
  INVALID_PROMPT: 400,
  INVALID_ANSWER: 400,
  UNAUTHENTICATED: 401,
  SCOPE_MISSING: 403,
  ORIGIN_REFUSED: 403,
  OPTION_NOT_OPEN: 403,
  PATH_OUTSIDE_ROOTS: 403,
  ROUTE_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  PROMPT_NOT_FOUND: 404,
  PERMISSION_NOT_FOUND: 404,
  ACCOUNT_NOT_FOUND: 404,
  CONVERSATION_NOT_FOUND: 404,
  CWD_NOT_FOUND: 400,
  REQUEST_TIMEOUT: 408,
  SESSION_EXISTS: 409,
  CONVERSATION_EXISTS: 409,
  CONVERSATION_IN_USE: 409,
  SESSION_BUSY: 409,
  SESSION_CLOSED: 409,
  SESSION_QUARANTINED: 409,
  SESSION_PARKED: 409,
  FORK_REFUSED: 409,
  OPTIONS_MISSING: 409,
  NO_PROCESS: 409,
  PERMISSION_SETTLED: 409,
  PROMPT_ID_USED: 409,
  IDEMPOTENCY_KEY_USED: 409,
  CLI_INPUT_CLOSED: 409,
  CONTROL_REFUSED: 409,
  CONTROL_UNSUPPORTED: 409,
  OPTION_UNSUPPORTED: 409,
  OPTION_REFUSED: 409,
  ABORTED: 409,
  BUDGET_REACHED: 409,
  REQUEST_TOO_LARGE: 413,
  ARGUMENTS_TOO_LARGE: 413,
  MEDIA_TYPE_UNSUPPORTED: 415,
  HOST_REFUSED: 421,
  PROMPT_QUEUE_FULL: 429,
  CONTROL_LIMIT: 429,
  RATE_LIMITED: 429,
  QUOTA_REACHED: 429,
  CONTROL_TIMEOUT: 504,
  INTERRUPT_TIMEOUT: 504,
  INITIALIZE_TIMEOUT: 504,
  SPAWN_TIMEOUT: 504,
  CONTROL_ANSWER_INVALID: 502,
  CLI_EXITED: 502,
  OUT_OF_MEMORY: 502,
  INITIALIZE_FAILED: 502,
  NOT_LOGGED_IN: 502,
  MCP_SERVER_FAILED: 502,
  DIALECT_MISMATCH: 502,
  LINE_TOO_LONG: 502,
  AT_CAPACITY: 503,
  SUPERVISOR_STOPPED: 503,
  SERVER_CLOSING: 503,
  STORE_FAILED: 503,
  STORE_HELD: 503,
  STORE_TAKEN_OVER: 503,
  STORE_CONFLICT: 503,
  STORE_OVERLOADED: 503,
  STORE_FULL: 503,
  STORE_READ_ONLY: 503,
  STORE_UNREACHABLE: 503,
  STORE_DAMAGED: 503,
  STORE_CLOSED: 503,
};

/** Seconds after which a request may be tried again, where nothing tells it better. */
const RETRY_SECONDS: Partial<Readonly<Record<ErrorCode, number>>> = {
  AT_CAPACITY: 5,
  PROMPT_QUEUE_FULL: 5,
  CONTROL_LIMIT: 1,
  QUOTA_REACHED: 60,
  RATE_LIMITED: 60,
  SUPERVISOR_STOPPED: 30,
  SERVER_CLOSING: 5,
  STORE_FAILED: 5,
  STORE_HELD: 30,
  STORE_OVERLOADED: 1,
  STORE_FULL: 60,
  STORE_UNREACHABLE: 5,
};

export function statusOf(code: ErrorCode): number {
  return STATUS[code] ?? 500;
}

export function problemOf(error: TroupeError): Problem {
  const { code, message, details } = error;
  const { field } = details;
  return {
    type: `urn:troupe:error:${code}`,
    title: ERROR_CODES[code],
    status: statusOf(code),
    detail: message,
    code,
    ...(typeof field === 'string' ? { field } : {}),
    ...(Object.keys(details).length === 0 ? {} : { details: { ...details } }),
  };
}

/** Answers with what went wrong; what nobody knows is logged and not shown. */
export function sendProblem(reply: FastifyReply, thrown: unknown, settings: ServerSettings): FastifyReply {
  const error = troupeErrorOf(thrown);
  if (error.code === 'SERVER_FAULT') {
    settings.logger?.error({ err: thrown, method: reply.request.method }, 'A request failed.');
  }
  const seconds = retryAfterOf(error, settings.clock.now());
  if (seconds !== undefined) void reply.header('retry-after', String(seconds));
  if (error.code === 'UNAUTHENTICATED') void reply.header('www-authenticate', 'Bearer realm="troupe"');
  return reply
    .code(statusOf(error.code))
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(problemOf(error));
}

/** What Node calls bytes that are no request, where it is not plainly that. */
const OF_NODE: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'REQUEST_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Answers bytes that never became a request, and ends the connection. */
export function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(new TroupeError(OF_NODE[error.code ?? ''] ?? 'REQUEST_INVALID'));
  // Headers alone are too large: nothing of a body was read.
  const status = problem.code === 'REQUEST_TOO_LARGE' ? 431 : problem.status;
  const body = JSON.stringify({ ...problem, status });
  const head = `HTTP/1.1 ${status} ${REASONS[status]}\r\nConnection: close\r\nCache-Control: no-store`;
  const type = `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.end(`${head}\r\n${type}\r\n\r\n${body}`);
}

/** Where a limit is known to end, the end of it. */
function retryAfterOf({ code, details }: TroupeError, now: number): number | undefined {
  const until = details['resetsAt'] ?? details['until'];
  if (typeof until === 'number' && until > now) return Math.ceil((until - now) / 1000);
  const { retryAfterSeconds } = details;
  return typeof retryAfterSeconds === 'number' ? retryAfterSeconds : RETRY_SECONDS[code];
}

/** Codes of fastify for what a client did wrong. */
const OF_FASTIFY: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'REQUEST_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE_UNSUPPORTED',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'REQUEST_INVALID',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'REQUEST_INVALID',
  FST_ERR_CTP_INVALID_JSON_BODY: 'REQUEST_INVALID',
  FST_ERR_BAD_URL: 'REQUEST_INVALID',
  FST_ERR_MAX_PARAM_LENGTH: 'REQUEST_TOO_LARGE',
  FST_ERR_ASYNC_CONSTRAINT: 'REQUEST_INVALID',
};

function troupeErrorOf(thrown: unknown): TroupeError {
  if (TroupeError.is(thrown)) return thrown;
  if (hasZodFastifySchemaValidationErrors(thrown)) return validationError(thrown);
  const { code, statusCode } = factsOf(thrown);
  const known = OF_FASTIFY[code];
  if (known !== undefined) return new TroupeError(known);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new TroupeError('REQUEST_INVALID');
  return new TroupeError('SERVER_FAULT');
}

interface Invalid {
  readonly validation: readonly { readonly instancePath: string; readonly message?: string | undefined }[];
  readonly validationContext?: string | undefined;
}

/** Names and reasons only: a value might be a secret (P11). */
function validationError({ validation, validationContext = 'request' }: Invalid): TroupeError {
  const issues = validation.slice(0, 20).map(({ instancePath, message = 'is malformed' }) => ({
    field: [validationContext, ...instancePath.split('/').filter((part) => part !== '')].join('.').slice(0, 500),
    reason: message.slice(0, 500),
  }));
  const { field = validationContext, reason = 'is malformed' } = issues[0] ?? {};
  return new TroupeError('REQUEST_INVALID', { reason: `"${field}": ${reason}.`, details: { field, reason, issues } });
}

function factsOf(thrown: unknown): { readonly code: string; readonly statusCode: number | undefined } {
  if (typeof thrown !== 'object' || thrown === null) return { code: '', statusCode: undefined };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  const statusCode = 'statusCode' in thrown && typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
  return { code, statusCode };
}

/** Nobody asked for anything that is here. */
export function routeNotFound(request: FastifyRequest): TroupeError {
  return new TroupeError('ROUTE_NOT_FOUND', { details: { method: request.method } });
}
