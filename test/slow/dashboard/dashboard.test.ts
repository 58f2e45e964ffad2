import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { createServer } from '../../../src/server/server.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { newFake, newSupervisor } from '../session/stage.ts';
import { oneBrowser, seriousFaults } from './browser.ts';

const MARKUP = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
const LONG = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');

const { open } = oneBrowser();
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('the dashboard', () => {
  it('moves the chart of a session; a question is allowed in one tab, and another tells by whom (P4)', async () => {
    const { login, session } = await served();
    const page = await open(login('ada'), '#/sessions/review');
    const inbox = await open(login('bob'), '#/inbox');
    const other = await open(login('ada'), '#/inbox');
    await page.locator(lit('session.ready.idle')).waitFor();

    await page.getByRole('textbox', { name: 'Prompt' }).fill('run it');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator(lit('session.awaiting-permission')).waitFor();
    await other.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await inbox.getByRole('button', { name: 'Allow', exact: true }).click();

    await other.locator('.answered li').getByText('by bob').waitFor();
    await page.locator(lit('session.ready.idle')).waitFor();
    await page.locator('.transcript').getByText('it said hello').first().waitFor({ state: 'attached' });
    expect(await other.locator('.question').count()).toBe(0);

    // The next one is denied, with a reason.
    await page.getByRole('textbox', { name: 'Prompt' }).fill('run it');
    await page.getByRole('button', { name: 'Send' }).click();
    await inbox.locator('[data-answer="deny"]').click();
    await inbox.getByLabel('What the model is told').fill('not today');
    await inbox.getByRole('button', { name: 'Deny', exact: true }).click();
    await inbox.locator('.answered li').getByText('denied').waitFor();
    await page.locator(lit('session.ready.idle')).waitFor();
    expect(session.permissions.pending()).toEqual([]);
  });

  it('starts a session, whose chart goes through the states of its process (P6)', async () => {
    const { login, supervisor } = await served({ initializeMs: 500 });
    const page = await open(login('ada'), '#/');
    // What the chart has lit, in order; it is drawn once per frame, so that a state may be too short to be seen.
    await page.evaluate(`globalThis.seen = []; new MutationObserver(() => {
      for (const state of document.querySelectorAll('[data-state][data-lit="true"]')) {
        const { state: name } = state.dataset;
        if (!globalThis.seen.includes(name)) globalThis.seen.push(name);
      }
    }).observe(document.body, { subtree: true, childList: true, attributes: true })`);
    await page.getByRole('button', { name: 'New session' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id').fill('from-the-page');
    await dialog.getByLabel('First prompt').fill('run it');
    await dialog.getByRole('button', { name: 'Start' }).click();

    await page.locator(lit('session.awaiting-permission')).waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.locator(lit('session.ready.idle')).waitFor();
    await page.locator('.queue .chip', { hasText: 'completed' }).waitFor();
    const seen = (await page.evaluate('globalThis.seen')) as string[];
    const past =
      supervisor
        .session('from-the-page')
        ?.history()
        .map(({ state }) => `session.${state}`) ?? [];
    expect(past).toEqual(
      expect.arrayContaining(['session.spawning', 'session.initializing', 'session.awaiting-permission']),
    );
    expect(seen).toEqual(
      expect.arrayContaining(['session.initializing', 'session.awaiting-permission', 'session.ready.idle']),
    );
  });

  it('steers and interrupts a turn, and looks back to any event of the log (P3, P7)', async () => {
    const { login } = await served();
    const page = await open(login('ada'), '#/sessions/review');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('talk for long');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator(lit('session.ready.running')).waitFor();
    await page.getByLabel('If it is busy:').selectOption('steer');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('be short');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.queue li').nth(1).waitFor();
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await page.locator('.queue .chip', { hasText: 'interrupted' }).first().waitFor();

    await page.getByRole('button', { name: 'Timeline' }).click();
    const range = page.getByLabel('Event to look back to');
    await page.locator('.timeline rect.state').first().waitFor();
    await range.fill(String(Number(await range.getAttribute('min'))));
    await page.locator('.session.past').waitFor();
    expect(await page.locator(lit('session.ready.idle')).count()).toBe(0);
    expect(await page.locator('.queue li').count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.locator('.queue .chip', { hasText: 'interrupted' }).first().waitFor();
    expect(await page.locator('.session.past').count()).toBe(0);
  });

  it('is loaded anew in the middle of an answer, and shows all of it, once (P7)', async () => {
    const { login } = await served();
    const page = await open(login('ada'), '#/sessions/review');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('talk');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator(lit('session.ready.running')).waitFor();
    await page.reload();
    await page.locator('.queue .chip', { hasText: 'completed' }).waitFor();
    await page.locator('.transcript').getByText('word59').waitFor();
    expect((await page.locator('.transcript').textContent())?.split('word0 word1 word2').length).toBe(2);
  });

  it('shows markup as text, whoever wrote it (P11)', async () => {
    const { login, supervisor } = await served();
    await supervisor.start({ id: 'a.b:c_d', key: MARKUP });
    const page = await open(login('ada'), '#/sessions/review');
    await page.getByRole('textbox', { name: 'Prompt' }).fill(MARKUP);
    await page.getByRole('button', { name: 'Send' }).click();
    const inbox = await open(login('bob'), '#/inbox');
    await inbox.locator('.question').getByText('onerror').first().waitFor();
    await inbox.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.locator('.queue .chip', { hasText: 'completed' }).waitFor();
    const fleet = await open(login('ada'), '#/');
    await fleet.getByText('a.b:c_d').waitFor();
    for (const tab of [page, inbox, fleet]) {
      expect(await tab.evaluate('window.pwned')).toBeUndefined();
      expect(await tab.locator('#page img, #page script').count()).toBe(0);
    }
  });

  it('works in any number of tabs of one browser: those that nobody looks at hold no connection (P10)', async () => {
    const { login } = await served();
    const first = await open(login('ada'), '#/sessions/review');
    await first.locator(lit('session.ready.idle')).waitFor();
    let last = first;
    for (let tab = 2; tab <= 8; tab += 1) {
      await turn(last, 'hidden');
      last = await first.context().newPage();
      await last.goto(first.url());
      await last.locator(lit('session.ready.idle')).waitFor();
    }
    await last.getByRole('textbox', { name: 'Prompt' }).fill('talk');
    await last.getByRole('button', { name: 'Send' }).click();
    await last.locator('.transcript').getByText('word59').waitFor();
    expect(await first.locator('.transcript').getByText('word59').count()).toBe(0);
    await turn(last, 'hidden');
    await turn(first, 'visible');
    await first.locator('.transcript').getByText('word59').waitFor();
  });

  it.each([360, 1_440])('can be used by everybody at a width of %i', async (width) => {
    const { login, session } = await served();
    void session.prompt('run it');
    for (const hash of ['#/', '#/sessions/review', '#/inbox', '#/tree']) {
      const page = await open(login('ada'), hash, width);
      await page.locator({ '#/inbox': '.question', '#/tree': '.tree', '#/': '.fleet' }[hash] ?? '.session').waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });
});

async function served({ initializeMs = 0 } = {}) {
  const run = step.toolTurn({ tool: 'Bash', input: { command: 'echo hello' }, output: 'it said hello' });
  const fake = await newFake({
    rules: [
      on(when.initialize(), step.delay(initializeMs), step.fallThrough()),
      on(when.prompt('run it'), run),
      on(when.prompt('talk for long'), step.echoTurn({ text: LONG.repeat(20), wordMs: 50 })),
      on(when.prompt('talk'), step.echoTurn({ text: LONG, wordMs: 25 })),
      on(when.prompt(MARKUP), step.toolTurn({ tool: 'Bash', input: { command: MARKUP }, output: MARKUP })),
    ],
  });
  const supervisor = newSupervisor({ pathToClaudeCodeExecutable: fake.path });
  const session = await supervisor.start({ id: 'review', includePartialMessages: true });
  const scopes = ['read', 'answer', 'control'] as const;
  const tokens = ['ada', 'bob'].map((name) => ({
    name,
    token: `${name}-token-that-nobody-can-guess-0123456789`,
    scopes,
  }));
  const server = await createServer({ supervisor, tokens });
  closing.push(() => server.close());
  return { supervisor, session, login: (name: string) => server.loginUrl(name) };
}

/** A browser without a window takes every tab for visible. */
async function turn(page: Page, how: 'hidden' | 'visible'): Promise<void> {
  const value = `{ configurable: true, value: ${how === 'hidden'} }`;
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', ${value}); document.dispatchEvent(new Event('visibilitychange'))`,
  );
}

/** A state of the chart that is lit. */
function lit(state: string): string {
  return `[data-state="${state}"][data-lit="true"]`;
}
