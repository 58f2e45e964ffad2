/** The code that opens each group of the table in src/errors.ts, and what the group is about. */
export const ERROR_GROUPS = [
  ['INVALID_OPTIONS', 'What the caller gave'],
  ['CLI_NOT_FOUND', 'Starting the process'],
  ['INITIALIZE_TIMEOUT', 'Getting ready'],
  ['CLI_EXITED', 'The process and its pipes'],
  ['CONTROL_TIMEOUT', 'Control requests'],
  ['SESSION_EXISTS', 'Sessions, prompts and the supervisor'],
  ['TURN_FAILED', 'Turns, permissions and readers'],
  ['STORE_HELD', 'The store'],
  ['REQUEST_INVALID', 'The server'],
];

/** The statecharts, by the path of their document. */
export function diagramDocuments(machines) {
  const { toMermaid } = machines;
  return {
    'docs/machines/session.mmd': toMermaid(machines.sessionMachine),
    'docs/machines/permission.mmd': toMermaid(machines.permissionMachine),
    'docs/machines/mcp-server.mmd': toMermaid(machines.mcpServerMachine),
    'docs/machines/watchdog.mmd': toMermaid(machines.watchdogMachine),
    'docs/machines/child.mmd': toMermaid(machines.childMachine),
    'docs/machines/group.mmd': toMermaid(machines.groupMachine),
    'docs/machines/budget.mmd': toMermaid(machines.budgetMachine),
    'docs/machines/account.mmd': toMermaid(machines.accountMachine),
    'docs/machines/supervisor.mmd': toMermaid(machines.supervisorMachine),
  };
}

/** The page with its charts drawn anew: each stands below a comment that names its machine. */
export function withCharts(page, charts) {
  return page.replace(/<!-- chart: ([\w-]+) -->\n```mermaid\n[\s\S]*?```/g, (_, name) => {
    if (charts[name] === undefined) throw new Error(`There is no machine ${name} to draw.`);
    return `<!-- chart: ${name} -->\n\`\`\`mermaid\n${charts[name]}\`\`\``;
  });
}

/** Every start option as a page: where it goes, and since when. */
export function optionsDocument(support) {
  const rows = Object.entries(support).map(([option, { place, name, since, otherwise, fallback = '' }]) => {
    const shown = place === 'host' ? name : `\`${name}\``;
    const release = since ?? (place === 'host' ? '' : '2.1.197 or before');
    const older = { exits: 'the start fails', ignores: 'reported, then ignored', refused: 'the start fails' };
    return `| \`${option}\` | ${place} | ${shown} | ${release} | ${otherwise === undefined ? '' : older[otherwise]} | ${fallback} |`;
  });
  return `${[
    '# Start options',
    '',
    'Every option of `supervisor.start()` and `query()`: where it goes, and since which release of the CLI it is obeyed. What each',
    'one means stands in the type `SessionOptions`. This page is generated from `src/launch/option-support.ts`: run `npm run docs`',
    'after a change.',
    '',
    'No option is ignored in silence. A flag that a release does not know, or an option whose loss would do harm, fails the start',
    'with `OPTION_UNSUPPORTED`; others are told by a `diagnostic` event `option-unsupported`. The releases are the first that',
    'were measured to know the option: of 2.1.197, 220, 231, 245, 260, 290, 312 and 332, or the one that Anthropic names.',
    '',
    '| option | goes to | as | since | older releases | default |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')}\n`;
}

/** The releases that the page compares: the last of each line, and the newest. */
const SHOWN_RELEASES = ['1.0.60', '1.0.128', '2.0.30', '2.1.19', '2.1.197'];

/** What releases of the CLI do differently, as a page: a row per feature, a column per release. */
export function featuresDocument(features, measured, hasFeature) {
  const shown = [...SHOWN_RELEASES, measured.at(-1)];
  const rows = Object.entries(features).map(([name, { what, since = measured[0], until, capability, source }]) => {
    const cells = shown.map((release) => (hasFeature(release, undefined, name) ? 'yes' : '–'));
    const span = until === undefined ? since : `${since} to ${until}`;
    const said = capability === undefined ? '' : `\`${capability}\``;
    return `| \`${name}\` | ${what} | ${cells.join(' | ')} | ${span} | ${said} | ${source} |`;
  });
  return `${[
    '# Releases of the CLI',
    '',
    'What releases of Claude Code do differently, as far as Troupe cares. No code asks for a version: it asks for one of these features',
    'by its name, with `hasFeature(version, capabilities, name)` of `troupe/wire`. Where the CLI says itself that it has one, in the',
    '`capabilities` of `system/init` and of its answer to `initialize`, only that counts; otherwise its version does. A release whose',
    'version is not known (those before 2.1.312 tell it with their first turn only) counts as older than all.',
    '',
    `Measured were ${measured.join(', ')}. "Since" is the first of them that has the feature, or the release that its maker names;`,
    'between two measured releases it may have come earlier. `WIRE §n` is a section of [that survey](wire.md). What a newer release says that',
    'was not said before, [`troupe drift`](drift.md) tells.',
    '',
    'This page is generated from `src/wire/features.ts`: run `npm run docs` after a change. A test compares it with recordings of the releases.',
    '',
    `| feature | what holds | ${shown.join(' | ')} | since | capability | source |`,
    `|---|---|${shown.map(() => '---|').join('')}---|---|---|`,
    ...rows,
  ].join('\n')}\n`;
}

const CONSEQUENCES = {
  stop: 'the session ends',
  restart: 'restart',
  'restart-once': 'restart, once',
  quarantine: 'set aside',
  park: 'parked, or set aside',
};

/** The table of endings as a page: what each means, then what the owner can do. */
export function endingsDocument(endings) {
  const cell = (text) => text.replaceAll('|', '\\|');
  const rows = Object.entries(endings).map(([name, rule]) => {
    const codes = rule.codes.map((code) => `\`${code}\``).join(' ');
    const counts = rule.isCounted ? 'yes' : 'no';
    const backoff = rule.hasBackoff ? 'yes' : 'no';
    const first = rule.firstStart === 'fails' ? 'the start fails' : 'no different';
    const follows = CONSEQUENCES[rule.consequence];
    return `| \`${name}\` | ${cell(rule.recognised)} | ${codes} | ${follows} | ${counts} | ${backoff} | ${first} |`;
  });
  const advice = Object.entries(endings).map(([name, rule]) => `| \`${name}\` | ${cell(rule.advice)} |`);
  return `${[
    '# How a process ends, and what follows',
    '',
    'Every end of a CLI process is of one of these kinds. The kind alone decides what follows, for sessions and for groups; you',
    'find it as `ending` beside `code` in the events `session.restarting`, `session.quarantined` and `session.ended`, and in',
    '`session.explain()`. This page is generated from `machines/child/endings.ts`: run `npm run docs` after a change.',
    '',
    'The consequence is that of a `transient` session, the default, which was ready once. A `temporary` one ends in every case. A',
    '`permanent` one is restarted also after `asked` and `killed`, and that restart counts; `session.close()` and `session.kill()`',
    'are no ends of a process but of the session, and end every type. In a group the group restarts its member, or gives up where',
    'a session would be set aside.',
    '',
    '| ending | recognised by | codes | consequence | counts | backoff | before it was ever ready |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    '- **restart** resumes the conversation, after the backoff of `restart.backoff`. More than `restart.intensity` restarts that',
    '  count within `restart.periodMs` set the session aside.',
    '- **restart, once**: the same end again before a turn was completed sets the session aside, as `repeating`.',
    '- **set aside** is the state `quarantined`: the session is kept, listed and explained with the ends that led to it, takes no',
    '  prompts, and goes on after `session.restart()`.',
    '- **parked, or set aside**: who keeps the account or the budget parks the session, at the latest when its process ends with',
    "  such a cause. With `onQuota: 'ignore'` nobody would bring it back: then it is set aside.",
    '',
    'Two decisions that one may expect otherwise. Exit code 0 that nobody asked for is restarted, also in a `transient` session,',
    'although it is a normal exit for OTP: the conversation goes on only if somebody brings it back, and `left` counts, so a CLI',
    'that leaves at once is set aside soon. And SIGKILL alone is no proof that memory ran out: only a count of the kernel or the',
    'words of the runtime are. The count is that of the cgroup, in which other processes may live as well.',
    '',
    '## What the owner can do',
    '',
    '| ending | advice |',
    '|---|---|',
    ...advice,
    '',
    '## What ends no process',
    '',
    '- A turn that fails, for whatever reason the API gave: the prompt ends as `failed`, the process takes the next one. A login',
    '  that is refused is told this way too. Only a process that ends after such a turn, unasked, is of the kind `auth`.',
    '- Lines that are no JSON, foreign output on stdout, unknown messages, bytes that are no UTF-8: a `diagnostic` event each.',
    '- A hook, a tool or an optional MCP server that fails, and words on stderr.',
    '- `maxTurns` and `maxBudgetUsd` of the CLI: the turn fails, and later ones fail the same way.',
  ].join('\n')}\n`;
}

/** The error table as a page: one section per group, one row per code, in the order of the source. */
export function errorDocument(codes) {
  const headings = new Map(ERROR_GROUPS);
  const lines = [
    '# Error codes',
    '',
    'Every `TroupeError` carries one of these codes. Switch on `code`, never on the text; `details` holds the facts and',
    '`cause` the origin. This page is generated from `src/errors.ts`: run `npm run docs` after a change.',
  ];
  for (const [code, sentence] of Object.entries(codes)) {
    const heading = headings.get(code);
    if (heading !== undefined) lines.push('', `## ${heading}`, '', '| code | meaning |', '|---|---|');
    lines.push(`| \`${code}\` | ${sentence.replaceAll('|', '\\|')} |`);
  }
  return `${lines.join('\n')}\n`;
}
