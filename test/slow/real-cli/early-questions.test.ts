import { describe, expect, it } from 'vitest';
import { streamText, together, toolUse } from '../../../src/testing/fake-model/script.ts';
import { stage } from './stage.ts';

const WRITE = { command: 'echo hi > out.txt', description: 'write' };

describe('a question that comes while the answer still streams (WIRE §5)', () => {
  it('is there before the end of the message, can be answered at once, and the turn is whole', async () => {
    const call = together(toolUse('Bash', WRITE), streamText({ words: 40, delayMs: 50 }));
    const rules = [{ when: { promptEquals: 'write', isToolResult: false }, reply: call }];
    const { start } = await stage({ script: { rules } });
    const order: string[] = [];
    const session = await start({
      includePartialMessages: true,
      canUseTool: () => {
        order.push('asked');
        return { behavior: 'allow' };
      },
    });
    const turn = session.prompt('write');
    for await (const { type, value } of turn) {
      const event = value?.['event'] as { type?: string } | undefined;
      if (type === 'stream_event' && event?.type === 'message_stop') order.push('message_stop');
    }

    expect(order.slice(0, 2)).toEqual(['asked', 'message_stop']);
    expect(await turn.result).toMatchObject({ outcome: 'completed', permissionDenials: 0 });
    expect(session.permissions.pending()).toEqual([]);
  });
});
