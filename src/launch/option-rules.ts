import { IN_PROCESS_NAME, isNamedWell } from './mcp-servers-schema.ts';
import { fieldName, type OptionIssue } from './option-issue.ts';
import type { SessionOptions } from './session-options.ts';
import { isSettingsText, parseSettingsText } from './settings-document.ts';

/** What is said when `bypassPermissions` comes without its second key (R93). */
export const UNCONFIRMED_BYPASS: OptionIssue = {
  field: 'permissionMode',
  reason: 'is "bypassPermissions", which needs allowDangerouslySkipPermissions: true',
};

/** True when every permission would be given away by one option alone. */
export function isUnconfirmedBypass(options: SessionOptions): boolean {
  return options.permissionMode === 'bypassPermissions' && options.allowDangerouslySkipPermissions !== true;
}

/** What no single option can know of itself: options that contradict each other. Each issue names both. */
export function brokenRules(options: SessionOptions): OptionIssue[] {
  return [
    ...conversationRules(options),
    ...permissionRules(options),
    ...serverRules(options),
    ...settingsRules(options),
    ...storeRules(options),
    ...broken(
      [
        options.envMode === 'exact' && options.env === undefined,
        'envMode',
        'is "exact", so env must say what the environment is',
      ],
      [
        options.signal !== undefined && options.abortController !== undefined,
        'abortController',
        'cannot be combined with signal: give one of the two',
      ],
      [
        options.fallbackModel !== undefined && options.fallbackModel === options.model,
        'fallbackModel',
        'must be another one than model',
      ],
    ),
  ];
}

type Rule = readonly [isBroken: boolean, field: string, reason: string];

function broken(...rules: readonly Rule[]): OptionIssue[] {
  return rules.filter(([isBroken]) => isBroken).map(([, field, reason]) => ({ field, reason }));
}

/** The CLI refuses or misreads these combinations (WIRE §12). */
function conversationRules(options: SessionOptions): OptionIssue[] {
  const resumes = options.resume !== undefined;
  const continues = options.continue === true;
  const forks = options.forkSession === true;
  const names = options.sessionId !== undefined;
  return broken(
    [continues && resumes, 'continue', 'cannot be combined with resume: give one of the two'],
    [names && resumes && !forks, 'sessionId', 'cannot be combined with resume unless forkSession is true'],
    [names && continues && !forks, 'sessionId', 'cannot be combined with continue unless forkSession is true'],
    [forks && !resumes && !continues, 'forkSession', 'needs resume or continue'],
    [options.resumeSessionAt !== undefined && !resumes, 'resumeSessionAt', 'needs resume'],
    [
      options.resumeDropsTurn !== undefined && options.resumeSessionAt === undefined,
      'resumeDropsTurn',
      'needs resumeSessionAt',
    ],
    [
      options.persistSession === false && resumes,
      'persistSession',
      'is false, but resume goes on with a conversation that is kept: what it adds would be lost with the process',
    ],
  );
}

/** The store copies what is written locally, and brings back what it has; nothing else. */
function storeRules({ sessionStore: store, ...options }: SessionOptions): OptionIssue[] {
  if (store === undefined) {
    const field = options.sessionStoreFlush === undefined ? 'loadTimeoutMs' : 'sessionStoreFlush';
    return broken([options[field] !== undefined, field, 'needs sessionStore']);
  }
  return broken(
    [
      options.persistSession === false,
      'sessionStore',
      'cannot be combined with persistSession: false, because what is written locally is what is copied',
    ],
    [
      options.enableFileCheckpointing === true,
      'sessionStore',
      'cannot be combined with enableFileCheckpointing: the copies of files are not in the store',
    ],
    [
      options.continue === true && store.listSessions === undefined,
      'sessionStore',
      'has no listSessions(), which continue needs',
    ],
  );
}

/** A permission is never given by accident (R93), and never both given and taken away. */
function permissionRules(options: SessionOptions): OptionIssue[] {
  const denied = new Set(options.disallowedTools);
  const both = (options.allowedTools ?? []).map(
    (rule, index): Rule => [denied.has(rule), fieldName(['allowedTools', index]), 'is also in disallowedTools'],
  );
  const agents = Object.entries(options.agents ?? {}).map(
    ([name, { permissionMode }]): Rule => [
      permissionMode === 'bypassPermissions' && options.allowDangerouslySkipPermissions !== true,
      fieldName(['agents', name, UNCONFIRMED_BYPASS.field]),
      UNCONFIRMED_BYPASS.reason,
    ],
  );
  return broken(
    [isUnconfirmedBypass(options), UNCONFIRMED_BYPASS.field, UNCONFIRMED_BYPASS.reason],
    [
      options.canUseTool !== undefined && options.permissionPrompts === 'none',
      'canUseTool',
      'would never be called, because permissionPrompts is "none"',
    ],
    [
      (options.supportedDialogKinds?.length ?? 0) > 0 &&
        options.onUserDialog === undefined &&
        options.permissionPrompts === 'none',
      'supportedDialogKinds',
      'needs onUserDialog: with permissionPrompts "none" nobody else could answer a dialog',
    ],
    [
      options.canUseTool !== undefined && options.permissionPromptToolName !== undefined,
      'permissionPromptToolName',
      'cannot be combined with canUseTool: the questions would go to that tool',
    ],
    ...both,
    ...agents,
  );
}

/** The name of an in-process server becomes part of its tools' names and of every message to it. */
function serverRules(options: SessionOptions): OptionIssue[] {
  const rules = Object.entries(options.mcpServers ?? {}).map(
    ([name, server]): Rule => [!isNamedWell(name, server), fieldName(['mcpServers', name]), IN_PROCESS_NAME],
  );
  return broken(...rules);
}

function settingsRules({ settings, sandbox, managedSettings }: SessionOptions): OptionIssue[] {
  const isPath = typeof settings === 'string' && !isSettingsText(settings);
  const isBroken = isSettingsText(settings) && parseSettingsText(settings) === undefined;
  const secret = ['env', 'apiKeyHelper', 'awsAuthRefresh'].find((name) => managedSettings?.[name] !== undefined);
  return broken(
    [isBroken, 'settings', 'is neither a path nor the JSON text of an object'],
    [
      isPath && sandbox !== undefined,
      'sandbox',
      'cannot be merged into settings that are a path: give them as an object',
    ],
    [
      secret !== undefined,
      fieldName(['managedSettings', secret ?? '']),
      'may hold a secret, and these settings show in the list of processes (P11): use settings',
    ],
  );
}
