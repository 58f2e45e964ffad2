import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import { ServerSet } from '../../src/mcp/server-set.ts';
import { type ControlOptions, SessionControls } from '../../src/session/session-controls.ts';
import { freshSettings, replaySettings, shownSettings } from '../../src/session/session-settings.ts';

type Call = (it: Recorded) => Promise<unknown>;

/** Every method, and the request it must become: the fields and their spelling are those of the official SDK. */
const REQUESTS: readonly [call: Call, subtype: string, payload: Record<string, unknown>][] = [
  [(it) => it.setModel('m'), 'set_model', { model: 'm' }],
  [(it) => it.setModel(), 'set_model', {}],
  [(it) => it.setPermissionMode('plan'), 'set_permission_mode', { mode: 'plan' }],
  [(it) => it.setMaxThinkingTokens(null), 'set_max_thinking_tokens', { max_thinking_tokens: null }],
  [
    (it) => it.setMaxThinkingTokens(5, 'omitted'),
    'set_max_thinking_tokens',
    { max_thinking_tokens: 5, thinking_display: 'omitted' },
  ],
  [
    (it) => it.setMaxThinkingTokens(0, null),
    'set_max_thinking_tokens',
    { max_thinking_tokens: 0, thinking_display: null },
  ],
  [(it) => it.applyFlagSettings({ a: 1, b: null }), 'apply_flag_settings', { settings: { a: 1, b: null } }],
  [
    (it) => it.updateSettings('userSettings', { effortLevel: 'low' }),
    'update_settings',
    { source: 'userSettings', settings: { effortLevel: 'low' } },
  ],
  [(it) => it.getSettings(), 'get_settings', {}],
  [(it) => it.listModels(), 'list_models', {}],
  [(it) => it.mcpServerStatus(), 'mcp_status', {}],
  [(it) => it.reconnectMcpServer('s'), 'mcp_reconnect', { serverName: 's' }],
  [(it) => it.toggleMcpServer('s', false), 'mcp_toggle', { serverName: 's', enabled: false }],
  [
    (it) => it.setMcpPermissionModeOverride('s', 'auto'),
    'set_mcp_permission_mode_override',
    { serverName: 's', mode: 'auto' },
  ],
  [
    (it) => it.setMcpPermissionModeOverride('s', null),
    'set_mcp_permission_mode_override',
    { serverName: 's', mode: null },
  ],
  [(it) => it.readMcpResource('s', 'ui://a'), 'mcp_read_resource', { serverName: 's', uri: 'ui://a' }],
  [(it) => it.mcpCall('mcp__s__t', { x: 1 }), 'mcp_call', { tool: 'mcp__s__t', arguments: { x: 1 } }],
  [(it) => it.getContextUsage(), 'get_context_usage', {}],
  [(it) => it.getContextUsage({ detail: 'summary' }), 'get_context_usage', { detail: 'summary' }],
  [(it) => it.getUsage(), 'get_usage', {}],
  [(it) => it.getUsage({ skipBehaviors: true }), 'get_usage', { skip_behaviors: true }],
  [(it) => it.getSessionCost(), 'get_session_cost', {}],
  [(it) => it.listPermissionRules(), 'list_permission_rules', {}],
  [(it) => it.getBinaryVersion(), 'get_binary_version', {}],
  [(it) => it.getHooksListing(), 'get_hooks_listing', {}],
  [(it) => it.getTaskOutput('t'), 'get_task_output', { task_id: 't' }],
  [(it) => it.fileSuggestions(''), 'file_suggestions', { query: '' }],
  [(it) => it.readFile('a'), 'read_file', { path: 'a' }],
  [
    (it) => it.readFile('a', { maxBytes: 9, encoding: 'base64' }),
    'read_file',
    { path: 'a', max_bytes: 9, encoding: 'base64' },
  ],
  [(it) => it.registerRepoRoot('/r'), 'register_repo_root', { directory: '/r' }],
  [
    (it) => it.registerRepoRoot('/r', { reloadClaudeMd: true, reloadPlugins: false, reloadSkills: true }),
    'register_repo_root',
    { directory: '/r', reload_claude_md: true, reload_plugins: false, reload_skills: true },
  ],
  [(it) => it.reloadPlugins(), 'reload_plugins', {}],
  [
    (it) =>
      it.reloadPlugins({ holdOnCacheImpact: true, addPlugins: [{ type: 'local', path: '/p' }], refuseIfBusy: true }),
    'reload_plugins',
    { hold_on_cache_impact: true, add_plugins: [{ type: 'local', path: '/p' }], refuse_if_busy: true },
  ],
  [(it) => it.reloadSkills(), 'reload_skills', {}],
  [(it) => it.reloadOutputStyles(), 'reload_output_styles', {}],
  [(it) => it.rename('t'), 'rename_session', { title: 't', source: 'host' }],
  [(it) => it.setColor('red'), 'set_color', { color: 'red' }],
  [(it) => it.rewindFiles('u'), 'rewind_files', { user_message_id: 'u' }],
  [(it) => it.rewindFiles('u', { dryRun: true }), 'rewind_files', { user_message_id: 'u', dry_run: true }],
  [(it) => it.seedReadState('a', 7.9), 'seed_read_state', { path: 'a', mtime: 7 }],
  [(it) => it.stopTask('t'), 'stop_task', { task_id: 't' }],
  [(it) => it.backgroundTasks(), 'background_tasks', {}],
  [(it) => it.backgroundTasks('toolu_1'), 'background_tasks', { tool_use_id: 'toolu_1' }],
  [(it) => it.setHasSubscribers(null), 'set_has_subscribers', { has_subscribers: null }],
];

describe('a typed control request', () => {
  it('becomes the request of the official protocol, without the fields that were not given (WIRE §9)', async () => {
    for (const [call, subtype, payload] of REQUESTS) {
      const controls = new Recorded();
      // Only what is written counts here: an empty answer is malformed for some.
      await call(controls).catch(() => {});
      expect(controls.asked.map(({ subtype, payload }) => [subtype, payload])).toEqual([[subtype, payload]]);
    }
  });

  it('hands its deadline and its signal on', async () => {
    const options = { timeoutMs: 5, signal: new AbortController().signal };
    const calls: Call[] = [
      (it) => it.setModel('m', options),
      (it) => it.setPermissionMode('plan', options),
      (it) => it.getContextUsage({ detail: 'full', ...options }),
      (it) => it.readFile('a', options),
      (it) => it.rewindFiles('u', { dryRun: true, ...options }),
      (it) => it.reloadPlugins(options),
      (it) => it.registerRepoRoot('/r', options),
      (it) => it.stopTask('t', options),
      (it) => it.initializationResult(options),
    ];
    for (const call of calls) {
      const controls = new Recorded();
      await call(controls).catch(() => {});
      expect(controls.asked.map(({ options }) => options)).toEqual([options]);
    }
  });

  it('is refused with INVALID_OPTIONS naming the argument, and nothing is written', async () => {
    const wrong: [Call, string][] = [
      [(it) => it.setModel('--evil'), 'model'],
      [(it) => it.setModel(''), 'model'],
      [(it) => it.setPermissionMode('nonsense'), 'mode'],
      [(it) => it.setPermissionMode('bypassPermissions'), 'mode'],
      [(it) => it.setMaxThinkingTokens(1.5), 'maxThinkingTokens'],
      [(it) => it.setMaxThinkingTokens(-1), 'maxThinkingTokens'],
      [(it) => it.setMaxThinkingTokens(undefined as unknown as null), 'maxThinkingTokens'],
      [(it) => it.setMaxThinkingTokens(1, 'loud' as 'omitted'), 'thinkingDisplay'],
      [(it) => it.applyFlagSettings([] as unknown as Record<string, unknown>), 'settings'],
      [(it) => it.updateSettings('elsewhere' as 'userSettings', {}), 'source'],
      [(it) => it.toggleMcpServer('s', 'on' as unknown as boolean), 'enabled'],
      [(it) => it.toggleMcpServer('', true), 'serverName'],
      [(it) => it.setMcpPermissionModeOverride('s', 'plan' as 'auto'), 'mode'],
      [(it) => it.readFile('a', { maxBytes: 0 }), 'options.maxBytes'],
      [(it) => it.readFile('a', { limit: 1 } as object), 'options.limit'],
      [(it) => it.getContextUsage({ detail: 'all' as 'full' }), 'options.detail'],
      [(it) => it.getUsage({ timeoutMs: -1 }), 'options.timeoutMs'],
      [(it) => it.rewindFiles('u', { dryrun: true } as object), 'options.dryrun'],
      [(it) => it.reloadPlugins({ addPlugins: ['p'] as unknown as Record<string, unknown>[] }), 'options.addPlugins.0'],
      [(it) => it.seedReadState('a', Number.NaN), 'mtime'],
      [(it) => it.mcpCall('t', null as unknown as Record<string, unknown>), 'args'],
      [(it) => it.setHasSubscribers(undefined as unknown as null), 'hasSubscribers'],
    ];
    for (const [call, field] of wrong) {
      const controls = new Recorded();
      const error = await call(controls).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'INVALID_OPTIONS', details: { field } });
      expect(controls.asked).toEqual([]);
    }
  });

  it('rejects an answer of another shape with CONTROL_ANSWER_INVALID, and keeps fields it does not know (P6)', async () => {
    const malformed = new Recorded({ answer: { categories: 'none' } });
    await expect(malformed.getContextUsage()).rejects.toMatchObject({
      code: 'CONTROL_ANSWER_INVALID',
      details: { subtype: 'get_context_usage', field: 'categories' },
    });
    const newer = new Recorded({ answer: { version: '9.0.0', channel: 'stable' } });
    expect(await newer.getBinaryVersion()).toEqual({ version: '9.0.0', channel: 'stable' });
  });

  it('reads an absent answer to background_tasks as "done", and a refused file as null (WIRE §9)', async () => {
    expect(await new Recorded().backgroundTasks()).toBe(true);
    expect(await new Recorded({ answer: { backgrounded: false } }).backgroundTasks('t')).toBe(false);
    const refused = new Recorded({ error: new TroupeError('CONTROL_REFUSED') });
    expect(await refused.readFile('a')).toBeNull();
    const late = new Recorded({ error: new TroupeError('CONTROL_TIMEOUT') });
    await expect(late.readFile('a')).rejects.toMatchObject({ code: 'CONTROL_TIMEOUT' });
  });
});

describe('a setting that is changed at run time', () => {
  it('is kept and told once the CLI took it, and not when it refused (P8)', async () => {
    const controls = new Recorded();
    await controls.setMaxThinkingTokens(9);
    await controls.toggleMcpServer('s', false);
    await controls.setMcpPermissionModeOverride('s', 'default');
    await controls.setHasSubscribers(false);
    expect(controls.told).toEqual(['thinking', 'toggledServers', 'serverModes', 'hasSubscribers']);
    expect(shownSettings(controls.settings)).toMatchObject({
      thinking: { maxThinkingTokens: 9 },
      toggledServers: { s: false },
      serverModes: { s: 'default' },
      hasSubscribers: false,
    });
    await controls.setMcpPermissionModeOverride('s', null);
    expect(shownSettings(controls.settings)).toMatchObject({ serverModes: {} });

    const refusing = new Recorded({ error: new TroupeError('CONTROL_REFUSED') });
    for (const call of [
      refusing.setModel('m'),
      refusing.setPermissionMode('plan'),
      refusing.toggleMcpServer('s', true),
      refusing.applyFlagSettings({ a: 1 }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'CONTROL_REFUSED' });
    }
    expect(refusing.told).toEqual([]);
    expect(shownSettings(refusing.settings)).toEqual(shownSettings(freshSettings()));
  });

  it('without a process is only remembered, and resolves (P8)', async () => {
    const controls = new Recorded({ hasProcess: false });
    await controls.setModel('m');
    expect(await controls.setPermissionMode('plan')).toEqual({ mode: 'plan' });
    expect(controls.asked).toEqual([]);
    expect(shownSettings(controls.settings)).toMatchObject({ model: 'm', permissionMode: 'plan' });
  });

  it('is the mode the CLI says is in effect, not the one asked for', async () => {
    const controls = new Recorded({ answer: { mode: 'default' } });
    expect(await controls.setPermissionMode('auto')).toEqual({ mode: 'default' });
    expect(controls.settings.permissionMode).toBe('default');
  });

  it('is overruled by the last word on the model, as the CLI does it', async () => {
    const controls = new Recorded();
    await controls.applyFlagSettings({ model: 'flag', effortLevel: 'low', absent: undefined });
    expect(replayed(controls)).toEqual([['apply_flag_settings', { settings: { model: 'flag', effortLevel: 'low' } }]]);
    await controls.setModel('set');
    expect(replayed(controls)).toEqual([['apply_flag_settings', { settings: { effortLevel: 'low' } }]]);
  });

  it('is shown without the values of flag settings, which may be secrets (P11)', async () => {
    const controls = new Recorded();
    await controls.applyFlagSettings({ env: { TOKEN: 'secret' } });
    expect(JSON.stringify(shownSettings(controls.settings))).not.toContain('secret');
  });

  it('is said again to the next process, all but what its flags say (P8)', async () => {
    const controls = new Recorded();
    expect(replayed(controls)).toEqual([]);
    await controls.setModel('m');
    await controls.setPermissionMode('plan');
    expect(replayed(controls)).toEqual([]);
    await controls.setMaxThinkingTokens(0, 'omitted');
    await controls.applyFlagSettings({ a: null });
    await controls.toggleMcpServer('s', true);
    await controls.setMcpPermissionModeOverride('s', 'auto');
    await controls.setHasSubscribers(null);
    expect(replayed(controls)).toEqual([
      ['set_max_thinking_tokens', { max_thinking_tokens: 0, thinking_display: 'omitted' }],
      ['apply_flag_settings', { settings: { a: null } }],
      ['mcp_toggle', { serverName: 's', enabled: true }],
      ['set_mcp_permission_mode_override', { serverName: 's', mode: 'auto' }],
      ['set_has_subscribers', { has_subscribers: null }],
    ]);
  });
});

interface Asked {
  readonly subtype: string;
  readonly payload: Record<string, unknown> | undefined;
  readonly options: ControlOptions | undefined;
}

/** Controls whose requests go nowhere but into a list. */
class Recorded extends SessionControls {
  readonly asked: Asked[] = [];
  readonly told: string[] = [];
  override readonly settings = freshSettings();
  override readonly mayBypass = false;
  override readonly servers = new ServerSet();
  readonly #script: { answer?: Record<string, unknown>; error?: TroupeError; hasProcess?: boolean };

  constructor(script: { answer?: Record<string, unknown>; error?: TroupeError; hasProcess?: boolean } = {}) {
    super();
    this.#script = script;
  }

  override async control(subtype: string, payload?: Record<string, unknown>, options?: ControlOptions) {
    this.asked.push({ subtype, payload, options });
    if (this.#script.error !== undefined) throw this.#script.error;
    return this.#script.answer ?? {};
  }

  protected override async reach() {
    return this.#script.hasProcess !== false;
  }

  protected override async initialized(options: ControlOptions) {
    return this.control('initialize', {}, options);
  }

  protected override changed(setting: string) {
    this.told.push(setting);
  }
}

function replayed({ settings }: Recorded): [string, Record<string, unknown>][] {
  const said: [string, Record<string, unknown>][] = [];
  void replaySettings(settings, async (subtype, payload) => said.push([subtype, payload]));
  return said;
}
