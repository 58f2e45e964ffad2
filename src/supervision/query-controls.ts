import type { Session } from '../session/session.ts';

/** The methods that a query shares with a session, under the names of the official SDK. */
const SHARED = [
  'accountInfo',
  'applyFlagSettings',
  'backgroundTasks',
  'getContextUsage',
  'initializationResult',
  'mcpServerStatus',
  'readFile',
  'readMcpResource',
  'reconnectMcpServer',
  'reinitialize',
  'reloadOutputStyles',
  'reloadPlugins',
  'reloadSkills',
  'rewindFiles',
  'seedReadState',
  'setMaxThinkingTokens',
  'setMcpPermissionModeOverride',
  'setMcpServers',
  'setModel',
  'setPermissionMode',
  'stopTask',
  'supportedAgents',
  'supportedCommands',
  'supportedModels',
  'toggleMcpServer',
  'updateSettings',
] as const satisfies readonly (keyof Session)[];

export type QueryControls = Pick<Session, (typeof SHARED)[number]> & {
  /** `getUsage` of a session, under the name that the official SDK has for it. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: Session['getUsage'];
};

/** The methods, each of which starts the query when it has not begun, and asks its session. */
export function queryControls(begin: () => Promise<Session>): QueryControls {
  const asked =
    (name: keyof Session) =>
    async (...parameters: unknown[]): Promise<unknown> => {
      const session = await begin();
      return (session[name] as (...parameters: unknown[]) => unknown).apply(session, parameters);
    };
  const shared = Object.fromEntries(SHARED.map((name) => [name, asked(name)]));
  // Each name of the list has its method now, which takes and gives what the one of the session does.
  return {
    ...shared,
    usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: asked('getUsage'),
  } as unknown as QueryControls;
}
