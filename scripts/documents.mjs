/** The code that opens each group of the table in src/errors.ts, and what the group is about. */
export const ERROR_GROUPS = [
  ['INVALID_OPTIONS', 'What the caller gave'],
  ['CLI_NOT_FOUND', 'Starting the process'],
  ['INITIALIZE_TIMEOUT', 'Getting ready'],
  ['CLI_EXITED', 'The process and its pipes'],
  ['CONTROL_TIMEOUT', 'Control requests'],
  ['SESSION_EXISTS', 'Sessions, prompts and the supervisor'],
  ['TURN_FAILED', 'Turns, permissions and readers'],
];

/** The statecharts, by the path of their document. */
export function diagramDocuments(machines) {
  const { toMermaid } = machines;
  return {
    'docs/machines/session.mmd': toMermaid(machines.sessionMachine),
    'docs/machines/permission.mmd': toMermaid(machines.permissionMachine),
    'docs/machines/mcp-server.mmd': toMermaid(machines.mcpServerMachine),
    'docs/machines/child.mmd': toMermaid(machines.childMachine),
    'docs/machines/group.mmd': toMermaid(machines.groupMachine),
    'docs/machines/budget.mmd': toMermaid(machines.budgetMachine),
    'docs/machines/supervisor.mmd': toMermaid(machines.supervisorMachine),
  };
}

/** Every start option as a page: where it goes, and since when. */
export function optionsDocument(support) {
  const rows = Object.entries(support).map(([option, { place, name, since, otherwise, fallback = '' }]) => {
    const shown = place === 'host' ? name : `\`${name}\``;
    const release = since?.join('.') ?? (place === 'host' ? '' : '2.1.197 or before');
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
