import { describe, expect, it } from 'vitest';
import { createSupervisor, type SessionOptions } from '../../../src/index.ts';
import { fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';

describe('standing permissions', () => {
  it('are told once at the start when they shadow the callback (R40)', async () => {
    await using fake = await fakeClaude();
    await using supervisor = createSupervisor({ pathToClaudeCodeExecutable: fake.path });
    const canUseTool = () => ({ behavior: 'allow' as const });
    const [shadowed, scoped] = await Promise.all([
      supervisor.start({ canUseTool, allowedTools: ['Read', 'Bash', 'Read'] }),
      supervisor.start({ canUseTool, allowedTools: ['Bash(ls:*)'] }),
    ]);

    expect(await warnings(shadowed)).toEqual(['canUseTool is never asked about Read, Bash']);
    expect(await warnings(scoped)).toEqual([]);
  });

  it.each<[options: SessionOptions, told: string | undefined]>([
    [{ skills: 'all' }, 'canUseTool is never asked about Skill'],
    [{ skills: ['pdf'] }, undefined],
    [{ allowedTools: [] }, undefined],
    [{ permissionMode: 'acceptEdits' }, undefined],
    [
      { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, allowedTools: ['Read'] },
      'canUseTool is never asked about *',
    ],
  ])('say for %j what they shadow, once, and nothing where there is no callback', async (options, told) => {
    await using fake = await fakeClaude();
    await using supervisor = createSupervisor({ pathToClaudeCodeExecutable: fake.path });
    const [asking, silent] = await Promise.all([
      supervisor.start({ ...options, canUseTool: () => ({ behavior: 'allow' }) }),
      supervisor.start(options),
    ]);

    expect(await warnings(asking)).toEqual(told === undefined ? [] : [told]);
    expect(await warnings(silent)).toEqual([]);
  });

  it('are asked for by default, and the mode that was asked for is in argv and in the init (R93)', async () => {
    await using fake = await fakeClaude();
    await using supervisor = createSupervisor({ pathToClaudeCodeExecutable: fake.path });
    const [plain, planned] = await Promise.all([supervisor.start(), supervisor.start({ permissionMode: 'plan' })]);
    await Promise.all([plain.prompt('hello').result, planned.prompt('hello').result]);
    const modes = (await fake.starts()).flatMap(({ argv }) =>
      argv.filter((word) => word.startsWith('--permission-mode')),
    );

    expect(modes.toSorted()).toEqual(['--permission-mode=default', '--permission-mode=plan']);
    expect([plain.facts.permissionMode, planned.facts.permissionMode]).toEqual(['default', 'plan']);
    expect([...(await warnings(plain)), ...(await warnings(planned))]).toEqual([]);
  });

  it('are told when the CLI runs in another mode than the one asked for (R93)', async () => {
    const init = { type: 'system', subtype: 'init', session_id: '$session_id', permissionMode: 'auto' };
    const result = { type: 'result', subtype: 'success', is_error: false, result: 'done', user_message_uuid: '$uuid' };
    await using fake = await fakeClaude({
      rules: [on(when.prompt({ equals: 'hello', bare: true }), step.emit(init), step.emit(result))],
    });
    await using supervisor = createSupervisor({ pathToClaudeCodeExecutable: fake.path });
    const session = await supervisor.start();
    await session.prompt('hello').result;

    expect(await warnings(session)).toEqual(['asked for "default", the CLI runs in "auto"']);
  });
});

async function warnings(session: Awaited<ReturnType<ReturnType<typeof createSupervisor>['start']>>): Promise<string[]> {
  const told: string[] = [];
  for await (const event of session.events()) {
    if (event.type === 'diagnostic') told.push(event.detail ?? event.reason);
    if (event.type === 'replay.completed') break;
  }
  return told;
}
