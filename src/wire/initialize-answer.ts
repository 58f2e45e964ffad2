export interface InitializeFacts {
  readonly cliVersion?: string;
  readonly permissionMode?: string;
  readonly capabilities?: readonly string[];
}

/** What the answer to `initialize` tells about the CLI; versions up to 2.1.19 tell nothing of it (WIRE §1). */
export function readInitializeAnswer(answer: Readonly<Record<string, unknown>>): InitializeFacts {
  const { claude_code_version: version, capabilities, current_permission_mode: mode } = answer;
  return {
    ...(typeof version === 'string' ? { cliVersion: version } : {}),
    ...(typeof mode === 'string' ? { permissionMode: mode } : {}),
    ...(Array.isArray(capabilities) ? { capabilities: capabilities.filter((item) => typeof item === 'string') } : {}),
  };
}
