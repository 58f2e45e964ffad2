import { describe, expect, it } from 'vitest';
import { launchEnvironment } from '../../src/launch/launch-environment.ts';
import { isNestingVariable, NESTING_VARIABLES } from '../../src/launch/nesting-variables.ts';

const MARK = 'review-1:1:abc';

const OURS = {
  CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
  CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
  TROUPE_SESSION: MARK,
};

/** What CLI 2.1.332 puts into the environment of its Bash tool and hooks, and what an editor and another Troupe add. */
const NESTED = {
  AI_AGENT: 'claude-code_2-1-332_agent',
  CLAUDECODE: '1',
  CLAUDE_AGENT_SDK_VERSION: '0.3.332',
  CLAUDE_CODE_CHILD_NOTES_DIR: '/tmp/notes',
  CLAUDE_CODE_CHILD_SESSION: '1',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  CLAUDE_CODE_EXECPATH: '/opt/claude',
  CLAUDE_CODE_MESSAGING_SOCKET: '/tmp/cc-socks/1.sock',
  CLAUDE_CODE_MESSAGING_TOKEN: 'token',
  CLAUDE_CODE_SESSION_ATTENDED: '0',
  CLAUDE_CODE_SESSION_ID: 'outer',
  CLAUDE_CODE_SSE_PORT: '1234',
  CLAUDE_EFFORT: 'medium',
  CLAUDE_PID: '1',
  CLAUDE_PROJECT_DIR: '/outer',
  TROUPE_SESSION: 'outer:1:xyz',
};

const USERS = {
  PATH: '/bin',
  HOME: '/home/user',
  NODE_OPTIONS: '--max-old-space-size=100',
  CLAUDE_CONFIG_DIR: '/config',
  CLAUDE_CODE_MAX_RETRIES: '2',
  CLAUDE_CODE_USE_BEDROCK: '1',
  CLAUDE_CODE_OAUTH_TOKEN: 'token',
  ANTHROPIC_API_KEY: 'key',
  DISABLE_TELEMETRY: '1',
};

describe('the environment of a session', () => {
  it('is the same in a nested shell as in a clean one, and keeps what the user configured (R91)', () => {
    const clean = launchEnvironment(USERS, {}, MARK);
    expect(clean).toEqual({ ...USERS, ...OURS });
    expect(launchEnvironment({ ...USERS, ...NESTED }, {}, MARK)).toEqual(clean);
  });

  it('hands on what bounds the outputs of tools, and the caller beats the host (PEER test_mcp_large_output)', () => {
    const host = { ...USERS, MAX_MCP_OUTPUT_TOKENS: '9000' };
    const limitOf = (inherited: Record<string, string>, env: Record<string, string>) =>
      launchEnvironment(inherited, { env }, MARK)['MAX_MCP_OUTPUT_TOKENS'];
    expect(limitOf(USERS, {})).toBeUndefined();
    expect(limitOf(host, {})).toBe('9000');
    expect(limitOf(host, { MAX_MCP_OUTPUT_TOKENS: '7' })).toBe('7');
  });

  it('gives a reason for every variable it does not hand on (R91)', () => {
    for (const [name, reason] of Object.entries(NESTING_VARIABLES)) {
      expect(isNestingVariable(name.replace('*', 'ANYTHING'))).toBe(true);
      expect(reason).not.toBe('');
    }
    expect(Object.keys(USERS).filter(isNestingVariable)).toEqual([]);
  });

  it('lets the caller win, set nesting variables on purpose, and remove with undefined (R91)', () => {
    const env = { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'mine', HOME: undefined, ANTHROPIC_API_KEY: 'other' };
    const result = launchEnvironment(USERS, { env, configDir: '/elsewhere' }, MARK);
    const { HOME: _, ...rest } = USERS;
    expect(result).toEqual({
      ...rest,
      ...OURS,
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'mine',
      ANTHROPIC_API_KEY: 'other',
      CLAUDE_CONFIG_DIR: '/elsewhere',
    });
    expect(Object.hasOwn(result, 'HOME')).toBe(false);
  });

  it('never gives the mark away: by it the whole tree is found (P1)', () => {
    expect(launchEnvironment({}, { env: { TROUPE_SESSION: 'mine' } }, MARK)['TROUPE_SESSION']).toBe(MARK);
    expect(launchEnvironment({}, { env: { TROUPE_SESSION: undefined } }, MARK)['TROUPE_SESSION']).toBe(MARK);
  });

  it('takes nothing from the host in mode "exact"', () => {
    expect(launchEnvironment(USERS, { envMode: 'exact', env: { A: 'b' } }, MARK)).toEqual({ A: 'b', ...OURS });
  });

  it('turns file checkpointing on only by its option (WIRE §9)', () => {
    const name = 'CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING';
    expect(launchEnvironment({}, { enableFileCheckpointing: true }, MARK)[name]).toBe('1');
    expect(launchEnvironment({ [name]: '1' }, {}, MARK)[name]).toBeUndefined();
  });

  it('hands on the trace that the host is in, and lets the caller give another', () => {
    const trace = { TRACEPARENT: '00-aa-bb-01', TRACESTATE: 'a=b' };
    expect(launchEnvironment(trace, {}, MARK)).toMatchObject(trace);
    const env = { TRACEPARENT: '00-cc-dd-01', TRACESTATE: undefined };
    const result = launchEnvironment(trace, { env }, MARK);
    expect(result['TRACEPARENT']).toBe('00-cc-dd-01');
    expect(Object.hasOwn(result, 'TRACESTATE')).toBe(false);
  });

  it('hands on the active span rather than the trace that the host began in, and less than what the caller gives', () => {
    const inherited = { TRACEPARENT: '00-aa-bb-01', TRACESTATE: 'a=b', PATH: '/bin' };
    const trace = { TRACEPARENT: '00-ee-ff-01', BAGGAGE: 'k=v' };
    const own = { ...OURS, PATH: '/bin' };
    expect(launchEnvironment(inherited, { trace }, MARK)).toEqual({ ...own, ...trace });
    expect(launchEnvironment(inherited, { trace, env: { TRACEPARENT: 'mine', BAGGAGE: undefined } }, MARK)).toEqual({
      ...own,
      TRACEPARENT: 'mine',
    });
    const baggage = { BAGGAGE: 'k=v' };
    expect(launchEnvironment(inherited, { trace: baggage }, MARK)).toEqual({ ...OURS, ...inherited, ...baggage });
  });

  it('says in which format questions are previewed, by its option', () => {
    const name = 'CLAUDE_CODE_QUESTION_PREVIEW_FORMAT';
    const toolConfig = { askUserQuestion: { previewFormat: 'html' } } as const;
    expect(launchEnvironment({}, { toolConfig }, MARK)[name]).toBe('html');
    expect(launchEnvironment({}, { toolConfig: { askUserQuestion: {} } }, MARK)).toEqual(OURS);
  });

  it('does not pretend to be the official SDK', () => {
    expect(launchEnvironment(NESTED, {}, MARK)['CLAUDE_AGENT_SDK_VERSION']).toBeUndefined();
  });
});
