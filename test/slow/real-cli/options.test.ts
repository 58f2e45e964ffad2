import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Session, SessionOptions } from '../../../src/index.ts';
import { eventOf, stage } from './stage.ts';

const LEAD = { description: 'leads', prompt: 'You lead the work.' };
/** Words of a prompt that are neither the language of the fake model nor a command of the CLI. */
const PLAIN = 'good morning';

describe('start options on the real CLI', () => {
  it('are taken together, flags and fields that both releases know (WIRE §1)', async () => {
    const { start, model, cwd } = await stage();
    const plugin = await pluginIn(cwd);
    const session = await start({
      agents: { lead: LEAD },
      agent: 'lead',
      title: 'A title',
      planModeInstructions: 'Plan like this.',
      toolAliases: { Grep: 'mcp__none__grep' },
      toolConfig: { askUserQuestion: { previewFormat: 'markdown' } },
      effort: 'low',
      taskBudget: { total: 50_000 },
      thinking: { type: 'adaptive', display: 'summarized' },
      plugins: [
        { type: 'local', path: plugin },
        { type: 'local', path: plugin, skipMcpDiscovery: true },
      ],
      sandbox: { enabled: false },
      managedSettings: { permissions: { deny: ['WebFetch'] } },
      includeHookEvents: true,
      promptSuggestions: false,
      agentProgressSummaries: true,
      forwardSubagentText: true,
      enableFileCheckpointing: true,
    });
    const { outcome } = await session.prompt(PLAIN).result;

    expect(outcome).toBe('completed');
    expect(model.requests.at(-1)?.system).toContain('You lead the work.');
    expect(await unsupported(session)).toEqual([]);
  });

  it.each<[SessionOptions, string]>([
    [{ projectConfigRoot: '/' }, '2.1.290'],
    [{ pluginDelivery: 'initialize', plugins: [{ type: 'local', path: '/' }] }, '2.1.261'],
  ])(
    'with a flag that the release does not know fail the start with OPTION_UNSUPPORTED, by name: %j (P7)',
    async (options, since) => {
      const { start, cli } = await stage();
      const [option = ''] = Object.keys(options);
      const started = start(options);

      if (cli.since(since)) {
        expect((await started).state).toBe('ready');
      } else {
        const flag = option === 'projectConfigRoot' ? '--project-config-root' : '--await-initialize';
        await expect(started).rejects.toMatchObject({ code: 'OPTION_UNSUPPORTED', details: { flag } });
      }
    },
  );

  it('name the flag of extraArgs that no release knows, and are not tried again (P8)', async () => {
    const { start } = await stage();
    const started = start({ extraArgs: { 'no-such-flag': 'x' }, restart: { type: 'permanent' } });

    await expect(started).rejects.toMatchObject({
      code: 'OPTION_UNSUPPORTED',
      details: { flag: '--no-such-flag', option: 'extraArgs' },
    });
  });

  it('that the release would ignore are told by a diagnostic, and the session goes on', async () => {
    const { start, cli } = await stage();
    const session = await start({
      perTaskStopAffordance: true,
      systemPrompt: { type: 'custom', prompt: 'Be brief.', snapshot: false },
    });
    const told = cli.since('2.1.260') ? [] : ['perTaskStopAffordance', 'systemPrompt.snapshot'];

    expect((await session.prompt(PLAIN).result).outcome).toBe('completed');
    expect((await unsupported(session)).map((detail) => detail.split(' ')[0])).toEqual(told);
  });

  it('verbatimPrompts keep a command from being run, and are refused where they would not', async () => {
    const { start, cli, model } = await stage();
    const started = start({ verbatimPrompts: true });
    if (!cli.since('2.1.248')) {
      await expect(started).rejects.toMatchObject({
        code: 'OPTION_UNSUPPORTED',
        details: { field: 'verbatimPrompts' },
      });
      return;
    }
    const session = await started;
    const { text } = await session.prompt('/clear @/etc/hostname').result;

    expect(text).toBe('Echo: /clear @/etc/hostname');
    expect(model.requests).toHaveLength(1);
  });

  it('managedSettings rule over the tools that were allowed', async () => {
    const { start } = await stage();
    const session = await start({ allowedTools: ['Bash'], managedSettings: { permissions: { deny: ['Bash'] } } });
    await session.prompt(PLAIN).result;

    expect((await initOf(session))['tools']).not.toContain('Bash');
  });

  it('skills let the model see and run those that are named, of the project, and no other', async () => {
    const { start, model, cwd } = await stage();
    await skillIn(cwd, 'listed');
    await skillIn(cwd, 'hidden');
    const session = await start({ skills: ['listed'] });
    await session.prompt(
      'CALLS [{"name":"Skill","input":{"skill":"listed"}},{"name":"Skill","input":{"skill":"hidden"}}]',
    ).result;
    const heard = JSON.stringify(model.requests[0]?.body);
    const ran = model.requests.at(-1)?.toolResults.map(({ isError }) => isError);

    expect(heard).toContain('Does listed things.');
    expect(heard).not.toContain('Does hidden things.');
    expect(ran).toEqual([false, true]);
  });

  it('systemPrompt: parts of a text replace the prompt of the CLI, an append keeps it', async () => {
    const { start, model } = await stage();
    await (await start({ systemPrompt: ['First part.', 'Second part.'] })).prompt(PLAIN).result;
    const replaced = model.requests.at(-1)?.system ?? '';
    const append = 'Third part.';
    await (await start({ systemPrompt: { type: 'preset', preset: 'claude_code', append } })).prompt(PLAIN).result;
    const appended = model.requests.at(-1)?.system ?? '';

    expect(replaced).toMatch(/First part\.\s*Second part\./);
    expect(appended).toContain(append);
    expect(appended.length).toBeGreaterThan(replaced.length + 1_000);
  });

  it('thinking, effort and taskBudget reach the model', async () => {
    const { start, model } = await stage();
    const setting: SessionOptions = { model: 'claude-opus-4-6', taskBudget: { total: 40_000 } };
    await (await start({ ...setting, effort: 'low', thinking: { type: 'disabled' } })).prompt(PLAIN).result;
    const off = model.requests.at(-1)?.body ?? {};
    await (await start({ ...setting, effort: 'high', thinking: { type: 'adaptive' } })).prompt(PLAIN).result;
    const on = model.requests.at(-1)?.body ?? {};

    expect([off['thinking'], on['thinking']]).toMatchObject([{ type: 'disabled' }, { type: 'adaptive' }]);
    expect([off['output_config'], on['output_config']]).toMatchObject([{ effort: 'low' }, { effort: 'high' }]);
  });
});

/** Ends the session and reads all that it told of options. */
async function unsupported(session: Session): Promise<string[]> {
  await session.close();
  const told: string[] = [];
  for await (const event of session.events()) {
    if (event.type === 'diagnostic' && event.reason === 'option-unsupported') told.push(event.detail ?? '');
  }
  return told;
}

async function initOf(session: Session): Promise<Readonly<Record<string, unknown>>> {
  const { message } = await eventOf(session, 'message', ({ message }) => message.subtype === 'init');
  return message.value ?? {};
}

async function pluginIn(cwd: string): Promise<string> {
  const folder = join(cwd, 'plugin');
  await mkdir(join(folder, '.claude-plugin'), { recursive: true });
  await writeFile(join(folder, '.claude-plugin', 'plugin.json'), '{"name":"sample","version":"1.0.0"}');
  return folder;
}

async function skillIn(cwd: string, name: string): Promise<void> {
  const folder = join(cwd, '.claude', 'skills', name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'SKILL.md'), `---\nname: ${name}\ndescription: Does ${name} things.\n---\nDo it.\n`);
}
