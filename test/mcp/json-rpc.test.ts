import { isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWellFormed } from '../../src/mcp/json-rpc.ts';

const oddly = <Value>(good: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: good }, fc.constantFrom(null, 1, 1.5, 2 ** 60, 'x', true, [], {}));
const token = oddly(fc.oneof(fc.string(), fc.integer()));
const meta = fc.record(
  {
    progressToken: token,
    'io.modelcontextprotocol/related-task': oddly(fc.record({ taskId: oddly(fc.string()) })),
    other: fc.anything(),
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    jsonrpc: oddly(fc.constant('2.0')),
    id: token,
    method: oddly(fc.constant('tools/call')),
    params: oddly(fc.record({ _meta: oddly(meta), name: fc.string() }, { requiredKeys: [] })),
    extra: fc.constant(1),
  },
  { requiredKeys: ['jsonrpc', 'id', 'method'] },
);

describe('a request for an in-process MCP server', () => {
  it('is well formed exactly where the SDK takes it, for what that refuses it would never answer (P5)', () => {
    let taken = 0;
    fc.assert(
      fc.property(message, (one) => {
        const isTaken = isJSONRPCRequest(one);
        if (isTaken) taken += 1;
        expect(isWellFormed(one)).toBe(isTaken);
      }),
      { numRuns: 2_000 },
    );
    expect(taken).toBeGreaterThan(0);
  });
});
