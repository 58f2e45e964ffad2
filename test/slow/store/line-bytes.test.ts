import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportSession, openStoreReader, type Session, storedEventsOf } from '../../../src/index.ts';
import { on, type Step, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { storeFolder } from '../cli/review-store.ts';
import { newFake, newSupervisor } from '../session/stage.ts';

const MIB = 2 ** 20;

/** Lines as no encoder of ours would write them; each must come back as it is. */
const ODD: readonly Buffer[] = [
  line('a carriage return between tokens', ',\r"z":1'),
  line('\u2028 and \u2029 and \u0085 end no line'),
  line('\uFEFF a mark that is none, and \\u0000 and \\ud800'),
  line('spaces   stay', ' , "key" : 1e2 , "key" : 1E+2'),
  line('🦊é漢'.repeat(40)),
  withByte(line('not UTF-8: @'), 0xff),
  withByte(line('cut in the middle of a letter: @'), 0xc3),
  line('x'.repeat(MIB)),
];

describe('the lines of the CLI (P7)', () => {
  it('are the same bytes for a subscriber, in the store, after a restart of the host, and in an export', async () => {
    const { folder, remove } = storeFolder();
    onTestFinished(remove);
    const store = join(folder, 'troupe.db');
    const fake = await newFake({ rules: [on(when.prompt('go'), ...ODD.flatMap(inPieces), step.echoTurn())] });
    const first = newSupervisor({ pathToClaudeCodeExecutable: fake.path, store });
    const session = await first.start({ id: 'odd' });
    const told = linesOf(session);
    await session.prompt('go').result;
    await session.hibernate();
    // What a lost host leaves, copied by another process: reading in this one would end the locks.
    const left = join(folder, 'left');
    mkdirSync(left);
    execFileSync('cp', [store, `${store}-wal`, left]);
    await first.shutdown();
    const live = await told;

    const reader = await openStoreReader(store);
    const stored: Buffer[] = [];
    for await (const event of reader.read({ sessionId: 'odd', after: 0 })) {
      if (!('data' in event) || !event.type.startsWith('message')) continue;
      stored.push(...storedEventsOf(event).map(({ data }) => Buffer.from(data)));
    }
    const exported: Buffer[] = [];
    for await (const text of exportSession(reader, 'odd')) {
      const { type = '', text: plain, base64 } = JSON.parse(text);
      if (type.startsWith('message'))
        exported.push(base64 === undefined ? Buffer.from(plain) : Buffer.from(base64, 'base64'));
    }
    await reader.close();

    const second = newSupervisor({ pathToClaudeCodeExecutable: fake.path, store: join(left, 'troupe.db') });
    await second.recovered;
    const again = await linesOf(second.session('odd'));

    for (const [place, lines] of Object.entries({ live, stored, exported, again })) {
      expect(lines.filter(isOdd).map(digest), place).toEqual(ODD.map(digest));
      expect(Buffer.concat(lines).equals(Buffer.concat(live)), place).toBe(true);
    }
  });
});

/** From the first event to the end of the log, or of what there is of it. */
async function linesOf(session: Session | undefined): Promise<Buffer[]> {
  const lines: Buffer[] = [];
  const isLive = session?.state !== 'hibernated';
  for await (const event of session?.events({ from: 0 }) ?? []) {
    if (event.type === 'message') lines.push(Buffer.from(event.message.raw));
    if (event.type === 'replay.completed' && !isLive) break;
  }
  return lines;
}

function line(text: string, more = ''): Buffer {
  return Buffer.from(
    `{"type":"assistant","odd":true${more},"message":{"role":"assistant","content":[{"type":"text","text":"${text}"}]}}`,
  );
}

function withByte(bytes: Buffer, byte: number): Buffer {
  const odd = Buffer.from(bytes);
  odd[bytes.indexOf('@')] = byte;
  return odd;
}

/** In two writes, cut inside a letter of several bytes where there is one, so that a chunk ends there. */
function inPieces(bytes: Buffer): Step[] {
  const letter = bytes.indexOf(Buffer.from('🦊'));
  const cut = letter < 0 ? Math.floor(bytes.length / 2) : letter + 2;
  const whole = Buffer.concat([bytes, Buffer.from('\n')]);
  return [
    step.emitRaw({ base64: whole.subarray(0, cut).toString('base64') }),
    step.delay(20),
    step.emitRaw({ base64: whole.subarray(cut).toString('base64') }),
  ];
}

function isOdd(bytes: Buffer): boolean {
  return bytes.includes('"odd":true');
}

/** Short where a difference is shown. */
function digest(bytes: Buffer): string {
  return bytes.length < 500
    ? bytes.toString('latin1')
    : `${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex')}`;
}
