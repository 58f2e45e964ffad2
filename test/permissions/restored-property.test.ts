import { setImmediate as nextLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PermissionRecord } from '../../src/store/store-record.ts';
import { openDesk } from './desk-harness.ts';

type Step =
  /** The process asks about one of a few commands. */
  | { readonly does: 'ask'; readonly command: number }
  /** Somebody answers one of the open questions; `heard` is false when the host is lost before the CLI hears of it. */
  | { readonly does: 'answer'; readonly which: number; readonly heard: boolean }
  | { readonly does: 'lose-host' }
  | { readonly does: 'lose-process' }
  | { readonly does: 'end-turn' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constant('ask' as const), command: fc.nat(2) }),
  fc.record({ does: fc.constant('answer' as const), which: fc.nat(5), heard: fc.boolean() }),
  fc.constant({ does: 'lose-host' as const }),
  fc.constant({ does: 'lose-process' as const }),
  fc.constant({ does: 'end-turn' as const }),
);

it('no decision is invented, none is given twice, and each goes to the question it was given for (P4)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const given: { readonly answer: string; readonly command: string }[] = [];
      const heard: { readonly answer: string; readonly command: string }[] = [];
      const ids: string[] = [];
      let desk = openDesk();
      let pipe = new Map<string, string>();

      const listen = () => {
        for (const [id, command] of pipe) {
          const reply = desk.replies.get(id);
          if (reply === undefined) continue;
          pipe.delete(id);
          if ('payload' in reply) heard.push({ answer: answerIn(reply.payload), command });
        }
      };
      const loseHost = async () => {
        // What is on the disk at this moment is all that the next host knows.
        const records: PermissionRecord[] = JSON.parse(JSON.stringify(ids.flatMap((id) => desk.desk.record(id) ?? [])));
        pipe = new Map();
        desk = openDesk();
        desk.desk.restore(records);
        await nextLoop();
      };

      for (const [index, one] of steps.entries()) {
        if (one.does === 'ask') {
          const command = `command-${one.command}`;
          ids.push(`q${index}`);
          pipe.set(`q${index}`, command);
          await desk.ask(`q${index}`, { tool_name: 'Bash', input: { command }, tool_use_id: `t${index}` });
        }
        if (one.does === 'answer') {
          const open = desk.desk.pending();
          const request = open[one.which % Math.max(1, open.length)];
          if (request === undefined) continue;
          const answer = `answer-${index}`;
          given.push({ answer, command: String(request.input?.['command']) });
          desk.desk.answer(request.id, { behavior: 'deny', message: answer }, 'ada');
          if (one.heard) await nextLoop();
          else await loseHost();
        }
        if (one.does === 'lose-host') await loseHost();
        if (one.does === 'lose-process') {
          desk.desk.withdrawAll('The CLI process is gone.');
          await nextLoop();
          pipe = new Map();
        }
        if (one.does === 'end-turn') desk.desk.loseUnasked();
        listen();
      }

      expect(new Set(heard.map(({ answer }) => answer)).size).toBe(heard.length);
      for (const one of heard) expect(given).toContainEqual(one);
    }),
  );
});

function answerIn(payload: unknown): string {
  return typeof payload === 'object' && payload !== null && 'message' in payload ? String(payload.message) : 'invented';
}
