import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import type { SupervisorOptions } from '../../../src/index.ts';
import { createServer } from '../../../src/server/server.ts';
import { on, type Scenario, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { answersTo, reaches, stage } from '../session/stage.ts';
import { oneBrowser } from './browser.ts';

const { open } = oneBrowser();
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const RULE = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }],
  behavior: 'allow',
  destination: 'localSettings',
};
const QUESTIONS = [{ question: 'Which colour?', header: 'Colour', options: [{ label: 'Red' }, { label: 'Blue' }] }];

describe('the inbox of the dashboard', () => {
  it('edits an input, denies with words, remembers a rule, answers questions and elicitations, by keyboard too (P4)', async () => {
    const asks = [
      tool('edit', 'Bash', { command: 'rm -r build' }),
      tool('deny', 'Bash', { command: 'git push' }),
      tool('always', 'Bash', { command: 'npm test' }, [RULE]),
      tool('ask', 'AskUserQuestion', { questions: QUESTIONS }),
      step.request({
        name: 'elicit',
        subtype: 'elicitation',
        mcp_server_name: 'forms',
        message: 'Who are you?',
        mode: 'form',
        requested_schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      }),
    ];
    const steps = ['edit', 'deny', 'always', 'ask', 'elicit'].flatMap((name, at) => [
      asks[at] ?? step.hang(),
      step.awaitResponse(name),
    ]);
    const { start, fake, login } = await served({ rules: [on(when.prompt('ask'), ...steps, step.result())] });
    const session = await start({ id: 'asks' });
    const page = await open(login, '#/inbox');
    const turn = session.prompt('ask');

    await question(page, 'rm -r build');
    await page.keyboard.press('j');
    await page.locator('.question.chosen').waitFor();
    await page.keyboard.press('e');
    const input = page.getByLabel('The input it runs with');
    await input.fill('{"command": ');
    await page.getByRole('alert').getByText('no JSON').waitFor();
    expect(await page.getByRole('button', { name: 'Allow with this input' }).isDisabled()).toBe(true);
    await input.fill('{"command": "ls build"}');
    await page.getByRole('button', { name: 'Allow with this input' }).click();

    await question(page, 'git push');
    await page.keyboard.press('j');
    await page.locator('.question.chosen').waitFor();
    await page.keyboard.press('d');
    await page.getByLabel('What the model is told').fill('not on a Friday');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();

    await question(page, 'npm test');
    await page.getByText('Bash(npm test:*)').waitFor();
    await page.getByRole('button', { name: 'Always allow' }).click();

    await page.getByLabel('Blue').check();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();

    await page.getByText('Who are you?').waitFor();
    await page.getByLabel('name *').fill('Ada');
    await page.getByRole('button', { name: 'Send', exact: true }).click();

    expect((await turn.result).outcome).toBe('completed');
    await page.getByText('Nobody waits for an answer.').waitFor();
    const answers = (await answersTo(fake)).flatMap(({ response }) => (response === undefined ? [] : [response]));
    expect(answers).toMatchObject([
      { behavior: 'allow', updatedInput: { command: 'ls build' } },
      { behavior: 'deny', message: 'not on a Friday' },
      { behavior: 'allow', updatedPermissions: [{ ...RULE, destination: 'session' }, RULE] },
      { behavior: 'allow', updatedInput: { answers: { 'Which colour?': 'Blue' } } },
      { action: 'accept', content: { name: 'Ada' } },
    ]);
  });
});

describe('the tree of the dashboard', () => {
  it('shows a group with its restarts, what money allows, and the wall of an account (SEMANTICS c12, R86)', async () => {
    const resetsAt = Math.ceil(Date.now() / 1_000) + 3_600;
    const info = { status: 'rejected', resetsAt, rateLimitType: 'five_hour' };
    const wall = on(
      when.prompt('work'),
      step.emit({ type: 'rate_limit_event', rate_limit_info: info, uuid: '$new_uuid', session_id: '$session_id' }),
      step.result({ is_error: true, result: "You've hit your limit", terminal_reason: 'api_error' }),
    );
    const dies = on(when.prompt('die'), step.killSelf('SIGKILL'));
    const { supervisor, start, login } = await served(
      { perStart: [{}, { rules: [dies] }, { rules: [wall] }, {}], sessions: 'any' },
      { budget: { maxUsd: 5 } },
    );
    const group = await supervisor.group({ id: 'team', strategy: 'one_for_one', children: [{ id: 'a' }, { id: 'b' }] });
    const limited = await start({ id: 'limited', account: 'shared' });
    const page = await open(login, '#/tree');
    const team = page.locator('.tree li', { hasText: 'team' }).first();
    await team.getByText('one_for_one').waitFor();
    await team.getByText(/^0 of \d+ restarts/).waitFor();

    supervisor.session('b')?.prompt('die');
    limited.prompt('work');
    await team.getByText(/^1 of \d+ restarts/).waitFor();
    await reaches(limited, 'parked');
    await page.locator('.tree dd', { hasText: 'tries again in' }).waitFor();
    await page.locator('.tree li', { hasText: 'limited' }).getByText('parked').waitFor();
    await page.getByText('of $5').waitFor();
    expect(await team.getByRole('link').allTextContents()).toEqual(group.children().map(({ id }) => id));
  });
});

function tool(name: string, tool_name: string, input: object, permission_suggestions: readonly object[] = []) {
  const about = { tool_name, input, tool_use_id: `toolu_${name}`, permission_suggestions };
  return step.request({ name, subtype: 'can_use_tool', ...about });
}

async function question(page: Page, text: string): Promise<void> {
  await page.locator('.question', { hasText: text }).waitFor();
}

async function served(scenario: Scenario, options: SupervisorOptions = {}) {
  const staged = await stage(scenario, options);
  const server = await createServer({ supervisor: staged.supervisor });
  closing.push(() => server.close());
  return { ...staged, login: server.loginUrl() };
}
