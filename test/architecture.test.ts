import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/*
 * Who may import whom. A folder may import itself and what its row says: folders of ours, packages, and `node:*` for all
 * modules of Node. `(types)` allows `import type` only. Everyone may import the two root files src/errors.ts and src/clock.ts.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  machines: ['xstate'],
  'src/wire': ['zod'],
  'src/transport': ['execa', 'node:*'],
  'src/launch': ['zod', 'node:*', 'src/transport (types)', 'src/wire'],
  'src/dialects': ['src/launch (types)', 'src/transport (types)', 'src/wire', 'src/dialects/print'],
  'src/dialects/print': ['@modelcontextprotocol/sdk', 'node:*', 'src/launch', 'src/transport', 'src/wire'],
  'src/control': ['src/wire'],
  'src/permissions': ['machines', 'src/wire', 'src/store (types)', 'zod', 'xstate'],
  'src/hooks': ['zod'],
  'src/mcp': ['@modelcontextprotocol/sdk', 'zod', 'src/wire', 'src/launch (types)'],
  'src/store': ['src/wire'],
  'src/store/sqlite': ['src/store', 'zod', 'node:*'],
  'src/redaction': ['src/wire', 'src/store (types)'],
  'src/recording': ['src/wire', 'src/transport (types)', 'src/redaction (types)', 'zod', 'node:*'],
  'src/replay': ['src/recording', 'src/redaction', 'src/transport', 'src/wire', 'zod'],
  'src/conversations': ['zod', 'node:*', 'src/wire', 'src/transport'],
  'src/session': [
    'machines',
    'src/wire',
    'src/transport',
    'src/launch',
    'src/control',
    'src/permissions',
    'src/hooks',
    'src/mcp',
    'src/redaction (types)',
    'src/store',
    'xstate',
    'node:crypto',
  ],
  'src/supervision': [
    'machines',
    'src/launch',
    'src/recording',
    'src/redaction',
    'src/session',
    'src/store',
    'src/transport',
    'xstate',
    'p-queue',
  ],
  'src/client': ['src/view', 'src/store (types)', 'eventsource-parser'],
  'src/view': ['src/store (types)', 'diff'],
  'src/server/json-rpc': [
    'node:buffer',
    'json-rpc-2.0',
    'zod',
    'src/permissions',
    'src/session',
    'src/store',
    'src/supervision (types)',
    'src/wire',
  ],
  'src/api': ['zod'],
  'src/server': [
    '@fastify/cookie',
    '@fastify/helmet',
    '@fastify/rate-limit',
    '@fastify/static',
    '@fastify/swagger',
    '@fastify/websocket',
    'fastify',
    'fastify-type-provider-zod',
    'zod',
    'node:*',
    'machines',
    'src/api',
    'src/launch',
    'src/permissions (types)',
    'src/session',
    'src/store (types)',
    'src/supervision (types)',
    'src/server/json-rpc',
    'src/telemetry',
    'src/view',
  ],
  'src/telemetry': [
    'pino',
    'pino-pretty',
    'prom-client',
    'node:perf_hooks',
    'src/supervision (types)',
    'src/store (types)',
    'src/wire',
  ],
  'src/testing': [
    'node:*',
    'src/testing/drift',
    'src/testing/fake-cli',
    'src/testing/fake-model',
    'src/recording',
    'src/replay',
    'src/conversations (types)',
    'src/store',
    'src/transport',
    'src/wire (types)',
  ],
  'src/testing/drift': ['node:*', 'src/launch', 'src/testing/fake-model', 'src/transport', 'src/wire'],
  'src/testing/fake-cli': ['node:*', 'src/recording', 'src/replay', 'src/wire', 'zod'],
  'src/testing/fake-model': ['node:*'],
  'src/cli': ['*'],
  'src/dashboard': [
    'src/client',
    'src/view',
    'src/api (types)',
    'machines',
    'preact',
    '@preact/signals',
    'diff',
    'elkjs',
    'virtual:chart',
  ],
  'src/index.ts': [
    'machines (types)',
    'src/conversations',
    'src/hooks',
    'src/launch',
    'src/mcp',
    'src/permissions',
    'src/session',
    'src/store',
    'src/store/sqlite',
    'src/supervision',
    'src/transport (types)',
    'src/wire',
  ],
  'src/errors.ts': [],
  'src/clock.ts': [],
  'src/abort-notice.ts': [],
  'src/sparse.ts': [],
};

/** Single files that need more than their folder, each with its reason. One that is not needed any more fails below. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // What frames of the JSON-RPC dialect travel by.
  'src/server/socket-route.ts': ['ws (types)'],
  'src/server/json-rpc/stream-link.ts': ['node:stream (types)'],
  'src/server/socket-link.ts': ['ws (types)'],
  // The option `canUseTool` has the type of the desk that calls it.
  'src/launch/session-options.ts': ['src/permissions (types)', 'src/hooks (types)', 'src/conversations (types)'],
  // … and the hooks bring the shape that their option is checked by.
  'src/launch/session-options-schema.ts': ['src/permissions', 'src/hooks', 'src/conversations (types)'],
  // One rule for what counts as the same release or a newer one.
  'src/launch/option-support.ts': ['src/wire'],
  // The place where a session and its store meet.
  'src/supervision/store-link.ts': ['src/conversations', 'node:os', 'node:path'],
  // The only engine that is opened by a path.
  'src/supervision/store-opening.ts': ['src/store/sqlite'],
  'src/supervision/claimed-store.ts': ['src/store/sqlite (types)'],
  'src/supervision/mirrored-listener.ts': ['src/conversations (types)', 'src/wire', 'node:crypto'],
  // One schema for the rules of a session and of its supervisor.
  'src/launch/supervisor-options.ts': ['src/permissions', 'src/store (types)'],
  // The words of a group are those of its machine.
  'src/launch/group-options.ts': ['machines (types)'],
  // Settings given as JSON text are read as every other JSON text from outside.
  'src/launch/settings-document.ts': ['src/wire'],
  'src/launch/sandbox-settings.ts': ['src/wire'],
  // The MCP SDK is loaded with the first server that is made.
  'src/mcp/tool.ts': ['node:module'],
  // The hands of the mcp-server machine.
  'src/mcp/server-watch.ts': ['machines', 'xstate'],
  'src/mcp/mcp-desk.ts': ['machines (types)', 'src/launch'],
  // A question is known again by its digest.
  'src/permissions/permission-record.ts': ['node:crypto'],
  // A path is relative to where the session works.
  'src/permissions/tool-call.ts': ['node:path'],
  // The place where one session is put together.
  'src/supervision/session-factory.ts': ['src/mcp', 'src/permissions', 'src/dialects'],
  'src/supervision/session-hooks.ts': ['src/hooks', 'src/permissions (types)'],
  // Whether the CLI at hand may serve a session is read from what it says of itself.
  'src/supervision/cli-refusal.ts': ['src/wire'],
  'src/supervision/session-desk.ts': ['src/permissions'],
  // A process that has no session yet is spoken to, and compared with others, before there is one.
  'src/supervision/warm-cli.ts': ['src/wire (types)'],
  'src/supervision/prewarm.ts': ['src/wire'],
  'src/supervision/launch-key.ts': ['src/permissions', 'node:crypto', 'node:fs/promises'],
  // The files in which the system tells how much memory is left.
  'src/supervision/free-memory.ts': ['node:fs', 'node:path'],
  // Where private files are made, and looked for when their host is gone.
  'src/supervision/host.ts': ['node:os', 'node:path'],
  // The number of a signal, for the status of the end.
  'src/supervision/host-signals.ts': ['node:os', 'node:timers/promises'],
  // Where the program is that acts when this process is gone.
  'src/supervision/host-loss.ts': ['node:fs', 'node:url'],
  // Each process gets a mark that no other process has.
  'src/supervision/incarnation-plan.ts': ['node:crypto'],
  // Every line of an export carries a sum.
  'src/store/export-session.ts': ['node:crypto'],
  // Arguments of public methods are checked at the edge, as options are.
  'src/session/call-options.ts': ['zod'],
  'src/session/prompt-fields.ts': ['zod'],
  // What a store gives back may be of another release.
  'src/session/child-record.ts': ['zod'],
  'src/session/session-controls.ts': ['zod'],
  // Ids are made where sessions and prompts are.
  'src/supervision/query-prompts.ts': ['node:crypto'],
  // The end of a query is read as the end of a turn is.
  'src/supervision/query-run.ts': ['src/wire'],
  'src/supervision/group-registry.ts': ['node:crypto'],
  'src/supervision/fleet-cursor.ts': ['node:crypto'],
  'src/supervision/heard-by.ts': ['src/wire (types)'],
  // What the CLI says of an account, of all its sessions.
  'src/supervision/account-seat.ts': ['src/wire'],
  'src/supervision/account-key.ts': ['node:crypto'],
  // Only the time of the file that holds a login.
  'src/supervision/credentials-watch.ts': ['node:fs/promises', 'node:os', 'node:path'],
  // A query yields messages in the spelling of the CLI: only their types are known here.
  'src/supervision/query-message.ts': ['src/wire (types)'],
  'src/supervision/inbox.ts': ['src/permissions (types)'],
  'src/supervision/supervisor.ts': ['node:crypto'],
  'src/supervision/conversation-use.ts': ['node:path'],
  // Each says that it takes runs of lines whole.
  'src/server/live-fleet.ts': ['src/supervision'],
  'src/telemetry/fleet-log.ts': ['src/supervision'],
  'src/telemetry/fleet-metrics.ts': ['src/supervision'],
};

const FOR_EVERYONE = ['src/errors.ts', 'src/clock.ts', 'src/abort-notice.ts', 'src/sparse.ts'];

/** What a folder, or one file of it, may take from the global `process`; programs may take all of it. */
const MAY_ASK_PROCESS: Readonly<Record<string, readonly string[]>> = {
  // The end of a turn of the event loop.
  'src/clock.ts': ['nextTick'],
  'src/transport': ['kill', 'pid'],
  'src/transport/command-size.ts': ['platform'],
  'src/transport/executable-format.ts': ['platform', 'execPath'],
  'src/transport/exit-guard.ts': ['on', 'off'],
  'src/transport/process-table.ts': ['platform'],
  'src/transport/host-mark.ts': ['platform'],
  'src/transport/host-watch.ts': ['platform'],
  'src/transport/orphan-sweep.ts': ['platform'],
  'src/transport/owned-folder.ts': ['getuid'],
  'src/transport/process-tree.ts': ['platform'],
  'src/transport/ps-table.ts': ['env'],
  'src/transport/spawner-program.ts': ['on', 'exit', 'send'],
  'src/transport/spawner-use.ts': ['platform', 'memoryUsage'],
  'src/transport/spawner.ts': ['execPath'],
  'src/transport/direct-child.ts': ['platform'],
  // Hooks of a process without a control channel are programs, run by the same Node.
  'src/dialects/print/print-transport.ts': ['execPath'],
  // What this process itself takes of the machine.
  'src/telemetry/fleet-metrics.ts': ['memoryUsage', 'cpuUsage'],
  // Where the CLI keeps conversations, unless the caller says so.
  'src/conversations/config-folder.ts': ['env', 'cwd'],
  // The one place that reads what a child process may inherit.
  'src/supervision/host.ts': ['env', 'cwd', 'execPath', 'availableMemory'],
  // Who holds a store is told to whom it refuses.
  'src/store/sqlite/lease.ts': ['pid'],
  'src/store/sqlite/claim.ts': ['pid'],
};
const PROGRAMS = ['src/cli', 'src/testing', 'src/testing/drift', 'src/testing/fake-cli', 'src/testing/fake-model'];

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = ['machines', 'src'].flatMap((folder) => sourcesIn(folder)).toSorted();

describe('the import law', () => {
  it('knows every folder: a new one needs a row', () => {
    expect(SOURCES.filter((file) => homeOf(file) === undefined)).toEqual([]);
  });

  it.each(SOURCES)('%s imports only what its folder may', (file) => {
    const home = homeOf(file) ?? '';
    const forbidden = importsOf(file).filter((one) => one.home !== home && !isAllowed(file, one));

    expect(forbidden.map(({ specifier }) => specifier)).toEqual([]);
  });

  it('has no cycles between folders', () => {
    expect(cyclesIn(folderGraph())).toEqual([]);
  });

  it('has no exception that nobody needs', () => {
    const needed = SOURCES.flatMap((file) => importsOf(file).map(({ home }) => `${file}: ${home}`));
    const listed = Object.entries(EXCEPTIONS).flatMap(([file, row]) => row.map((entry) => `${file}: ${entry}`));

    expect(listed.filter((entry) => !needed.includes(entry.replace(' (types)', '')))).toEqual([]);
  });

  it('has no row for a folder that does not exist', () => {
    const homes = new Set(SOURCES.map((file) => homeOf(file)));

    expect(Object.keys(MAY_IMPORT).filter((home) => !homes.has(home))).toEqual([]);
  });
});

describe('the world outside', () => {
  it.each(SOURCES.filter((file) => !PROGRAMS.includes(homeOf(file) ?? '')))(
    '%s takes nothing from `process` but what its folder may',
    (file) => {
      const taken = [...codeOf(file).matchAll(/\bprocess\.(\w+)/g)].map(([, member]) => member ?? '');
      const allowed = [...(MAY_ASK_PROCESS[file] ?? []), ...(MAY_ASK_PROCESS[homeOf(file) ?? ''] ?? [])];

      expect(taken.filter((member) => !allowed.includes(member))).toEqual([]);
    },
  );

  it.each(SOURCES.filter((file) => file.startsWith('machines/')))(
    '%s is pure: time and chance arrive as data, and nothing is printed',
    (file) => {
      expect(codeOf(file)).not.toMatch(/Date\.now|new Date|setTimeout|setInterval|Math\.random|process\.|console\./);
    },
  );
});

interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
  /** The row of a file of ours, else the name of the package. */
  readonly home: string;
}

function isAllowed(file: string, one: Import): boolean {
  const row = [...(MAY_IMPORT[homeOf(file) ?? ''] ?? []), ...(EXCEPTIONS[file] ?? [])];
  if (row.includes('*') || FOR_EVERYONE.includes(one.home) || row.includes(one.home)) return true;
  if (one.home.startsWith('node:') && row.includes('node:*')) return true;
  return one.isTypeOnly && row.includes(`${one.home} (types)`);
}

function sourcesIn(folder: string): string[] {
  const entries = readdirSync(posix.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return entries.filter((entry) => /\.tsx?$/.test(entry)).map((entry) => posix.join(folder, entry));
}

/** The longest row that the path belongs to. */
function homeOf(file: string): string | undefined {
  const rows = Object.keys(MAY_IMPORT).filter((row) => file === row || file.startsWith(`${row}/`));
  return rows.toSorted((one, other) => other.length - one.length)[0];
}

function importsOf(file: string): Import[] {
  const code = codeOf(file);
  const statics = [...code.matchAll(/^(?:import|export)\s+(type\s)?[^'"`;]*?from\s+'([^']+)'/gm)];
  const bare = [...code.matchAll(/^import\s+()'([^']+)'/gm), ...code.matchAll(/\bimport\(()\s*'([^']+)'/g)];
  return [...statics, ...bare].map(([, type, specifier = '']) => ({
    specifier,
    isTypeOnly: type?.trim() === 'type',
    home: targetOf(file, specifier),
  }));
}

function targetOf(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier.startsWith('node:') ? specifier : packageOf(specifier);
  const path = posix.join(posix.dirname(file), specifier);
  return homeOf(path) ?? path;
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The text without its comments, which may speak of anything. */
function codeOf(file: string): string {
  const text = readFileSync(posix.join(ROOT, file), 'utf8');
  return text.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
}

function folderGraph(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const file of SOURCES) {
    const home = homeOf(file) ?? file;
    const targets = graph.get(home) ?? new Set();
    for (const one of importsOf(file)) if (one.home !== home && one.home in MAY_IMPORT) targets.add(one.home);
    graph.set(home, targets);
  }
  return graph;
}

/** Takes away, again and again, what depends on nothing that is left; what stays is in a cycle or needs one. */
function cyclesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Map(graph);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [home, targets] of left) if (![...targets].some((target) => left.has(target))) left.delete(home);
  }
  return [...left.keys()];
}
