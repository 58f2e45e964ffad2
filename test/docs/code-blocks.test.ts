import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AnyStateNode } from 'xstate';
import { parse } from 'yaml';
import { z } from 'zod';
import { sessionMachine } from '../../machines/session/session.machine.ts';
import { createSupervisor } from '../../src/index.ts';
import { logFleet } from '../../src/telemetry/fleet-log.ts';
import { serverStage } from '../server/stage.ts';
import { memoryFleet } from '../supervision/memory-cli.ts';
import { allPages, type CodeBlock, codeBlocks, ROOT, readPage } from './markdown-page.ts';
import { complaintsAboutShell, type KnownWorld } from './shell-sample.ts';

const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });
const { scripts } = Manifest.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

const blocks = allPages().flatMap((page) => codeBlocks(page).map((block) => ({ ...block, path: page.path })));
const inLanguage = (wanted: string) =>
  blocks.filter(({ language }) => language === wanted).map((block) => [`${block.path}:${block.line}`, block] as const);
const isParsed = (check: () => unknown) => expect(check).not.toThrow();

/** Who checks a page's JSON beyond that it is some. */
const JSON_PAGES: Readonly<Record<string, string>> = {
  'docs/fake-cli.md': 'as scenarios: fake-cli.test.ts',
  'docs/json-rpc.md': 'line by line: below',
  'docs/logging.md': 'against a line of the log: below',
};

describe('the samples of the pages (what a reader copies works)', () => {
  it('are in a language that somebody checks, or are said to be text', () => {
    const known = ['ts', 'sh', 'json', 'yaml', 'mermaid', 'text'];
    expect(
      blocks.filter(({ language }) => !known.includes(language)).map(({ path, line }) => `${path}:${line}`),
    ).toEqual([]);
  });

  describe('in the language of a shell', () => {
    let world: KnownWorld = { scripts, routes: [] };
    beforeAll(async () => {
      world = { scripts, routes: await describedRoutes() };
    });

    it.each(inLanguage('sh'))(
      '%s names only commands, options, scripts, routes and columns that are there',
      async (_, block) => {
        expect(await complaintsAboutShell(block.code, world)).toEqual([]);
      },
    );

    it.each([
      ['npx troupe runn x', /unknown command 'runn'/],
      ['git diff | troupe run - --jsn', /unknown option '--jsn'/],
      ['troupe store check', /missing required argument/],
      ['npm run nothing', /no script nothing/],
      ['curl -X DELETE "$URL/v1/nowhere"', /no DELETE \/v1\/nowhere/],
      [`sqlite3 a.db 'SELECT colour FROM log'`, /colour/],
      ['make', /nobody knows/],
    ])('%s would be seen', async (line, complaint) => {
      expect(await complaintsAboutShell(line, world)).toEqual([expect.stringMatching(complaint)]);
    });
  });

  it.each(inLanguage('json'))('%s is JSON, and its page has a check of its own', (_, { path, code }) => {
    const texts = path === 'docs/json-rpc.md' ? framesOf(code) : [code];
    for (const text of texts) isParsed(() => JSON.parse(text));
    expect(Object.keys(JSON_PAGES)).toContain(path);
  });

  it.each(inLanguage('yaml'))('%s is YAML', (_, { code }) => {
    isParsed(() => parse(code));
  });

  it.each(inLanguage('mermaid'))('%s is Mermaid', (_, { code }) => {
    expect(code.split('\n').filter((line) => line !== '' && !isMermaid(line))).toEqual([]);
    expect(code.split('\n').filter((line) => line.endsWith('{'))).toHaveLength(
      code.split('\n').filter((line) => line.trim() === '}').length,
    );
  });
});

describe('the chart of a session in the README', () => {
  const [chart] = codeBlocks(readPage('README.md')).filter(({ code }) => code.startsWith('stateDiagram'));
  const arrows = [...(chart?.code ?? '').matchAll(/^ *(\w+) --> (\w+)/gm)].map(
    ([, from = '', to = '']) => [from.replace('_', '-'), to.replace('_', '-')] as const,
  );

  it.each(arrows)('is right that %s is followed by %s', (from, to) => {
    const topmost = (node: AnyStateNode) => node.path[0];
    const state = sessionMachine.root.states[from];
    const targets = within(state).flatMap((node) =>
      [...node.transitions.values()]
        .flat()
        .concat(node.always ?? [])
        .flatMap(({ target = [] }) => target.map(topmost)),
    );
    const anywhere = [...sessionMachine.root.transitions.values()]
      .flat()
      .flatMap(({ target = [] }) => target.map(topmost));
    expect([...targets, ...anywhere]).toContain(to);
  });

  it('has arrows', () => expect(arrows.length).toBeGreaterThan(5));
});

describe('the page about the JSON-RPC dialect', () => {
  const frames = codeBlocks(readPage('docs/json-rpc.md'))
    .filter(({ language }) => language === 'json')
    .flatMap(({ code }) => framesOf(code).map((text): unknown => JSON.parse(text)));
  const Frame = z.object({ jsonrpc: z.literal('2.0'), id: z.number().optional(), method: z.string().optional() });

  it('shows frames whose methods the server knows', () => {
    const source = [
      'call-table',
      'handshake',
      'session-notices',
      'run-messages',
      'run-frames',
      'question',
      'questions',
      'engine-connection',
    ]
      .map((name) => readFileSync(join(ROOT, `src/server/json-rpc/${name}.ts`), 'utf8'))
      .join('\n');
    const methods = frames.flatMap((frame) => Frame.parse(frame).method ?? []);
    expect(methods.length).toBeGreaterThan(3);
    expect(methods.filter((method) => !new RegExp(`\\b${method}\\b`).test(source))).toEqual([]);
  });
});

describe('the page about logging', () => {
  it('shows a line as it is written: the same fields, in the same order', async () => {
    const [block] = codeBlocks(readPage('docs/logging.md')).filter(({ language }) => language === 'json');
    const lines: string[] = [];
    const fleet = memoryFleet((prompt) => prompt.complete('done'));
    const supervisor = createSupervisor({ spawn: fleet.open, reap: 'off' });
    onTestFinished(() => supervisor.shutdown());
    logFleet(supervisor, pino({ base: null }, { write: (line: string) => void lines.push(line) }));
    const session = await supervisor.start({ restart: { type: 'temporary' } });
    await session.prompt('go').result;

    const written = lines.map((line): unknown => JSON.parse(line)).find((line) => isNamed(line, 'prompt.ended'));
    expect(fieldsOf(JSON.parse((block as CodeBlock).code))).toEqual(fieldsOf(written));
  });
});

function isNamed(line: unknown, msg: string): boolean {
  return z.object({ msg: z.literal(msg) }).safeParse(line).success;
}

function fieldsOf(line: unknown): string[] {
  return Object.keys(z.record(z.string(), z.unknown()).parse(line));
}

async function describedRoutes(): Promise<string[]> {
  const { ask } = await serverStage({}, { spawn: memoryFleet().open });
  const { body } = await ask('GET', '/openapi.json');
  const paths = z.record(z.string(), z.record(z.string(), z.unknown())).parse(body['paths']);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** Frames of a conversation, each behind the arrow that tells who says it. */
function framesOf(code: string): string[] {
  return code.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/^[→←] /, '')]));
}

function within(node: AnyStateNode | undefined): AnyStateNode[] {
  return node === undefined ? [] : [node, ...Object.values(node.states).flatMap(within)];
}

/** The lines that our charts are made of: of statecharts, and of the picture of the whole. */
function isMermaid(line: string): boolean {
  const state = /^ +(--|\[\*\] --> \w+|\w+ --> \[\*\]|state "[\w-]+" as \w+( \{)?|\}|\w+ --> \w+( ?: [^:;{}#"]+)?)$/;
  const node = String.raw`\w+(\(\["[^"]+"\]\)|\[\["[^"]+"\]\]|\[\("[^"]+"\)\]|\["[^"]+"\])?`;
  const arrow = String.raw`(---|-->|<-->|-\. "[^"]+" \.-)(\|"[^"]+"\|)?`;
  return (
    /^(stateDiagram-v2|flowchart LR)$/.test(line) ||
    state.test(line) ||
    new RegExp(`^ +${node} ${arrow} ${node}$`).test(line)
  );
}
