import { inProcessConfigs, stdinServers } from './mcp-document.ts';
import type { SessionOptions } from './session-options.ts';

/** Options that travel under their own name. */
const AS_THEY_ARE = [
  'agents',
  'title',
  'toolAliases',
  'planModeInstructions',
  'promptSuggestions',
  'agentProgressSummaries',
  'forwardSubagentText',
  'perTaskStopAffordance',
  'supportedDialogKinds',
] as const satisfies readonly (keyof SessionOptions)[];

/**
 * The fields of the `initialize` request, without its subtype, pure. It travels on stdin, so a value may have any size
 * (R94). A text replaces the system prompt, an empty one leaves the CLI's bare minimum, and without the option nothing
 * is sent and the CLI's own prompt stays. (Shapes checked against the requests that CLI 2.1.332 then makes.)
 */
export function initializePayload(options: SessionOptions): Record<string, unknown> {
  const { outputFormat, skills, plugins, pluginDelivery } = options;
  const same = AS_THEY_ARE.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  const mcpServers = stdinServers(options);
  const sdkMcpServerConfigs = inProcessConfigs(options);
  return {
    ...systemPromptFields(options.systemPrompt),
    ...Object.fromEntries(same),
    ...(outputFormat === undefined ? {} : { jsonSchema: outputFormat.schema }),
    ...(Array.isArray(skills) ? { skills } : {}),
    ...(pluginDelivery === 'initialize' && (plugins?.length ?? 0) > 0 ? { plugins } : {}),
    ...(mcpServers === undefined ? {} : { mcpServers }),
    ...(sdkMcpServerConfigs === undefined ? {} : { sdkMcpServerConfigs }),
    ...namedServers(options),
  };
}

function systemPromptFields(prompt: SessionOptions['systemPrompt']): Record<string, unknown> {
  if (prompt === undefined) return {};
  if (typeof prompt === 'string') return { systemPrompt: [prompt] };
  if (!('type' in prompt)) return { systemPrompt: prompt };
  const snapshot = prompt.snapshot === undefined ? {} : { systemPromptSnapshot: prompt.snapshot };
  if (prompt.type === 'custom') {
    return { systemPrompt: typeof prompt.prompt === 'string' ? [prompt.prompt] : prompt.prompt, ...snapshot };
  }
  const { append, excludeDynamicSections } = prompt;
  return {
    ...(append === undefined ? {} : { appendSystemPrompt: append }),
    ...(excludeDynamicSections === undefined ? {} : { excludeDynamicSections }),
    ...snapshot,
  };
}

/** Where the real CLI reads them from its arguments, the write-up with ids inside `request` has their names here. */
function namedServers({ dialect = 'auto', mcpServers = {} }: SessionOptions): Record<string, unknown> {
  if (dialect === 'stream-json' || dialect === 'json-rpc') return {};
  const names = Object.keys(mcpServers).filter((name) => mcpServers[name]?.type === 'sdk');
  return names.length === 0 ? {} : { sdk_mcp_servers: names };
}
