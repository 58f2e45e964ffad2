import { describe, expect, it } from 'vitest';
import { on, type Step, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { kept, stage } from './stage.ts';

const MIB = 2 ** 20;

describe('a long line', () => {
  it('of 5 MiB, around 1 MiB, of 16 MiB, and six in a row arrive whole, in time linear to their size (R07)', async () => {
    const sizes = [MIB - 1, MIB, MIB + 1, 5 * MIB, 16 * MIB, ...Array.from({ length: 6 }, () => 2 * MIB)];
    const { start } = await stage({
      rules: [
        on(when.prompt('small'), step.bigLine({ bytes: 4 * MIB }), step.echoTurn()),
        on(when.prompt('large'), step.bigLine({ bytes: 32 * MIB }), step.echoTurn()),
        on(when.prompt('go'), ...sizes.map((bytes) => step.bigLine({ bytes })), step.echoTurn()),
      ],
    });
    const session = await start();
    const turn = session.prompt('go');
    const lengths: number[] = [];
    for await (const message of turn) if (message.raw.length > 10_000) lengths.push(message.raw.length);
    expect(lengths).toEqual(sizes);
    expect((await turn.result).outcome).toBe('completed');
    const took = async (text: string) => {
      const begin = performance.now();
      await session.prompt(text).result;
      return performance.now() - begin;
    };
    const small = await took('small');
    // Eight times the size: a search that began anew with each chunk would take 64 times as long.
    expect(await took('large')).toBeLessThan(30 * Math.max(small, 50));
  });
});

describe('foreign output', () => {
  it('is told and costs no frame around it (R11)', async () => {
    const assistant = (text: string) =>
      JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } });
    const noise = [
      '\uFEFF',
      `${assistant('first')}\n`,
      '[SandboxDebug] x\n',
      '\n',
      '\r\n',
      '   \n',
      'null\n',
      '42\n',
      '[]\n',
      '{"no":"type"}\n',
      '{"type":"assistant","message":\n',
      `${assistant('second')}\r\n`,
      `banner without newline${assistant('third')}\n`,
    ];
    const { start } = await stage({
      rules: [on(when.prompt('go'), ...noise.map((text) => step.emitRaw(text)), step.echoTurn())],
    });
    const session = await start();
    expect((await session.prompt('go').result).outcome).toBe('completed');
    const events = await kept(session);
    const texts = events.flatMap((event) => (event.type === 'message' ? [event.message.raw.toString()] : []));
    for (const text of ['first', 'second', 'third', 'Echo: go']) {
      expect(texts.filter((raw) => raw.includes(`"${text}"`) && raw.includes('assistant'))).toHaveLength(1);
    }
    const told = events.flatMap((event) => (event.type === 'diagnostic' ? [event.detail ?? ''] : []));
    for (const sample of ['[SandboxDebug] x', 'null', '42', '[]', '{"no":"type"}', '{"type":"assistant","message":']) {
      expect(
        told.some((detail) => detail.includes(sample)),
        sample,
      ).toBe(true);
    }
    expect(session.state).toBe('ready');
  });

  it('of unknown types and shapes passes through, known or not, before and after the result (R15, R17)', async () => {
    const bodies = [
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } },
      { type: 'tool_progress', tool_use_id: 'x' },
      { type: 'auth_status' },
      { type: 'zzz_new', extra: { deep: [1, null] } },
      { type: 'system', subtype: 'zzz_subtype' },
      { type: 'user', message: { role: 'user', content: 'text' } },
      { type: 'assistant', message: { role: 'assistant', content: null } },
      { type: 'assistant', message: { role: 'assistant', content: [7, null, { type: 'zzz_block' }] } },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', input: 'str' }] } },
      { type: 'assistant', message: 'no object' },
      { type: 'assistant' },
      { type: 'system', subtype: 'background_tasks_changed', tasks: 'none' },
      { type: 'system', subtype: 'task_started', task_id: 7 },
      { type: 'command_lifecycle', command_uuid: null, state: 3 },
    ];
    const frames: Step[] = bodies.map((body) => step.emit(body));
    const { start } = await stage({ rules: [on(when.prompt('go'), ...frames, step.echoTurn(), ...frames)] });
    const session = await start();
    expect((await session.prompt('go').result).outcome).toBe('completed');
    expect((await session.prompt('again').result).text).toBe('Echo: again');
    const seen = (await kept(session)).flatMap((event) => (event.type === 'message' ? [event.message.value] : []));
    for (const body of bodies) {
      expect(
        seen.filter((value) => JSON.stringify(value) === JSON.stringify(body)),
        JSON.stringify(body),
      ).toHaveLength(2);
    }
  });

  it('that asks what nobody knows gets an error answer, never silence (R15)', async () => {
    const { start } = await stage({
      rules: [
        on(
          when.prompt('go'),
          step.request({ name: 'odd', subtype: 'zzz_question' }),
          step.awaitResponse('odd'),
          step.echoTurn({ text: 'answered' }),
        ),
      ],
    });
    const session = await start();
    expect((await session.prompt('go').result).text).toBe('answered');
  });
});

describe('the end of the output', () => {
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'the last word',
    user_message_uuids: ['$uuid'],
  };

  it('delivers a last result without its newline (R13)', async () => {
    const { start } = await stage({
      rules: [
        on(
          when.prompt('go'),
          step.emitRaw(JSON.stringify({ ...result, user_message_uuids: ['11111111-1111-4111-8111-111111111111'] })),
          step.exit(0),
        ),
      ],
    });
    const session = await start({ restart: { type: 'temporary' } });
    const turn = session.prompt('go', { id: '11111111-1111-4111-8111-111111111111' });
    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'the last word' });
  });

  it('drops half a frame, says so, and ends the turn as cut short (R13)', async () => {
    const { start } = await stage({
      rules: [on(when.prompt('go'), step.emitRaw('{"type":"result","subtype":"suc'), step.exit(0))],
    });
    const session = await start({ restart: { type: 'temporary' } });
    const { outcome, error } = await session.prompt('go').result;
    expect([outcome, error?.code]).toEqual(['failed', 'CLI_EXITED']);
    expect(error?.message).toContain('cut short');
    const reasons = (await kept(session)).flatMap((event) => (event.type === 'diagnostic' ? [event.reason] : []));
    expect(reasons).toContain('corrupt');
  });

  it('comes after everything that was written before the exit (R13)', async () => {
    const frame = {
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(20_000) }] },
    };
    const { start } = await stage({
      rules: [
        on(
          when.prompt('go'),
          step.emitMany({ count: 1_000, frame }),
          step.result({ result: 'all of it' }),
          step.exit(0),
        ),
      ],
    });
    const session = await start({ restart: { type: 'temporary' } });
    const turn = session.prompt('go');
    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'all of it' });
    await session.ended;
  });
});
