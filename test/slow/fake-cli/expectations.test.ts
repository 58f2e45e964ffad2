import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, step, times, when } from '../../../src/testing/fake-cli/scenario.ts';
import { newFake, newHost } from './fakes.ts';
import { Host } from './host.ts';

const ASK = step.request({ name: 'q', subtype: 'can_use_tool', tool_name: 'Bash', input: {} });
const INTERRUPT = { type: 'control_request', request: { subtype: 'interrupt' } } as const;

describe('what a scenario expects of the host', () => {
  it('is no problem when it comes, whatever other lines come in between', async () => {
    const { host, fake } = await newHost({
      rules: [
        times(1, on(when.prompt('go'), ASK, step.awaitResponse('q', { behavior: 'allow' }), step.result())),
        times(1, on(when.control('mcp_status'), step.respond({}), step.expect(INTERRUPT))),
      ],
    });
    host.prompt('go');
    host.answer(await host.asked('can_use_tool'), { behavior: 'allow', updatedInput: {} });
    await host.result();
    await host.control({ subtype: 'mcp_status' });
    host.prompt('between');
    await host.control({ subtype: 'interrupt' });
    await host.end();

    expect(await fake.problems()).toEqual([]);
    await fake.assertClean();
  });

  it('says at which step what was expected and what came', async () => {
    const { host, fake } = await newHost({
      rules: [
        on(when.prompt('go'), ASK, step.awaitResponse('q', { behavior: 'allow' }), step.result()),
        on(when.control('mcp_status'), step.respond({}), step.expect(INTERRUPT)),
      ],
    });
    host.prompt('go');
    host.answer(await host.asked('can_use_tool'), { behavior: 'deny', message: 'no' });
    await host.result();
    await host.control({ subtype: 'mcp_status' });
    await host.control({ subtype: 'set_model', model: 'haiku' });
    await host.end();
    const problems = await fake.problems();

    expect(problems.map(({ kind, at }) => [kind, at])).toEqual([
      ['unexpected-line', 'rules[0].do[1]'],
      ['unexpected-line', 'rules[1].do[1]'],
    ]);
    expect(problems[0]?.text).toContain('expected {"behavior":"allow"}');
    expect(problems[0]?.text).toContain('got      {"behavior":"deny","message":"no"}');
    await expect(fake.assertClean()).rejects.toThrow(
      /^The fake CLI saw 2 problems:\n1\. rules\[0\]\.do\[1\] [\s\S]+2\. rules\[1\]\.do\[1\] .+\n {3}expected .*"interrupt".*\n {3}got .*"set_model"/,
    );
  });

  it('says what did not come: within its time, before the end of input, and how often a rule was taken', async () => {
    const { host, fake } = await newHost({
      rules: [
        on(when.prompt('soon'), step.expect(INTERRUPT, { withinMs: 1 }), step.result()),
        on(when.prompt('ever'), step.result(), step.expect({ type: 'user' })),
        times(2, on(when.control('mcp_status'), step.respond({}))),
      ],
    });
    host.prompt('soon');
    await host.result();
    host.prompt('ever');
    await host.result();
    await host.control({ subtype: 'mcp_status' });
    await host.end();

    expect((await fake.problems()).map(({ text }) => text.replace(/process \d+/, 'process'))).toEqual([
      `rules[0].do[0] (process)\n   expected ${JSON.stringify(INTERRUPT)}\n   got      nothing of this type within 1 ms`,
      'rules[1].do[1] (process)\n   expected {"type":"user"}\n   got      the end of input',
      'rules[2] (control subtype "mcp_status")\n   expected to be taken 2 times\n   got      1',
    ]);
  });

  it('names the start whose behaviour it was', async () => {
    const fake = await newFake({
      perStart: [{}, { rules: [on(when.prompt(), step.result(), step.expect(INTERRUPT))] }],
    });
    for (let start = 0; start < 2; start += 1) {
      const host = new Host(fake);
      host.prompt('go');
      await host.result();
      await host.end();
    }

    expect((await fake.problems()).map(({ at }) => at)).toEqual(['perStart[1].rules[0].do[1]']);
  });

  it('comes from a JSON file as well', async () => {
    const fake = await newFake();
    const path = join(dirname(fake.path), 'own.json');
    await writeFile(path, JSON.stringify({ rules: [on(when.prompt('hi'), step.echoTurn({ text: 'from a file' }))] }));
    await using other = await fakeClaude(path);
    const host = new Host(other);
    host.prompt('hi');

    expect((await host.result()).result).toBe('from a file');
    await host.end();
  });
});

describe('steps that take their time', () => {
  it('trickle writes cut every character, and the line is whole all the same (R09)', async () => {
    const line = JSON.stringify({ type: 'system', subtype: 'note', text: '日本 🦊' });
    const { host } = await newHost({ atStart: [step.trickle({ text: `${line}\n`, everyMs: 1 })] });
    const chunks: number[] = [];
    host.child.stdout.on('data', (text: string) => chunks.push(text.length));

    expect(await host.next((frame) => frame.subtype === 'note')).toMatchObject({ text: '日本 🦊' });
    expect(chunks.length).toBeGreaterThan(1);
    await host.end();
  });

  it('repeat goes on after an interrupt when no turn owns it (R45)', async () => {
    const noise = step.repeat({ times: 3, everyMs: 5 }, step.emit({ type: 'noise', n: '$i' }));
    const { host } = await newHost({ rules: [on(when.control('interrupt'), step.respond({}), noise)] });
    host.prompt('go');
    await host.result();
    await host.control({ subtype: 'interrupt' });
    for (let round = 0; round < 3; round += 1) await host.next((frame) => frame.type === 'noise');
    await host.end();

    expect(host.frames.filter(({ type }) => type === 'noise')).toHaveLength(3);
  });

  it('stopReading leaves the lines of the host in the pipe until it is over (R20)', async () => {
    const { host, fake } = await newHost({ rules: [on(when.prompt('stop'), step.stopReading(300), step.result())] });
    host.prompt('stop');
    await host.next((frame) => frame.subtype === 'init');
    const before = Date.now();
    const answered = await host.control({ subtype: 'mcp_status' });

    expect(answered.subtype).toBe('success');
    const lines = (await fake.journal()).filter((entry) => entry.kind === 'line');
    expect(lines[1]?.at ?? 0).toBeGreaterThanOrEqual(before);
    await host.end();
  });
});
