import { createJSONRPCErrorResponse, type JSONRPCErrorResponse } from 'json-rpc-2.0';
import { TroupeError } from '../../errors.ts';

/** Of the range that JSON-RPC leaves to applications. `data.code` tells which error it is. */
const APPLICATION_ERROR = -32_000;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** A typed error as JSON-RPC has it; of what was not meant to happen nothing is told (P11). */
export function rpcError(id: string | number | null, error: unknown): JSONRPCErrorResponse {
  if (!TroupeError.is(error)) return createJSONRPCErrorResponse(id, INTERNAL_ERROR, 'Internal error');
  const code = error.code === 'REQUEST_INVALID' ? INVALID_PARAMS : APPLICATION_ERROR;
  return createJSONRPCErrorResponse(id, code, error.message, { code: error.code, details: error.details });
}
