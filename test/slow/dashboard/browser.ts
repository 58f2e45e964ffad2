import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of the system; `TROUPE_TEST_CHROMIUM` names another one. */
export function findChromium(): string {
  const found = [process.env['TROUPE_TEST_CHROMIUM'], ...PLACES].find((path) => path !== undefined && existsSync(path));
  if (found === undefined) throw new Error('Chromium is missing: apt-get install chromium');
  return found;
}

/** One browser for a file. Every tab of it must have asked its server and nobody else, and thrown nothing. */
export function oneBrowser() {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  const strangers: string[] = [];
  const thrown: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    expect(strangers.splice(0)).toEqual([]);
    expect(thrown.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    /** A tab that is logged in by this address, at a page of the dashboard. */
    open: async (loginUrl: string, hash: string, width = 1_440): Promise<Page> => {
      if (browser === undefined) throw new Error('There is no browser yet.');
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      contexts.push(context);
      const page = await context.newPage();
      const { origin } = new URL(loginUrl);
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== origin) strangers.push(request.url());
      });
      page.on('pageerror', (error) => thrown.push(String(error)));
      await page.goto(loginUrl);
      await page.goto(`${origin}/${hash}`);
      return page;
    },
  };
}

/** What axe finds that is serious or worse, each as one line. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')} ${failureSummary}`),
      );
  });
}
