import { stringOf } from './fields.ts';
import { type AnyMessage, parsedValueOf } from './message-value.ts';

/** The subagent that a message belongs to (WIRE §17). */
export interface Subagent {
  /** The call of the `Task` tool that started it: the key by which its messages belong together. */
  readonly toolUseId: string;
  /** Its own id, as permission requests and hooks name it; undefined in releases that do not tell. */
  readonly agentId: string | undefined;
  readonly type: string | undefined;
  readonly description: string | undefined;
}

/** The subagent that speaks in a message; undefined for the main conversation. */
export function subagentOf(message: AnyMessage): Subagent | undefined {
  const value = parsedValueOf(message);
  const toolUseId = stringOf(value?.['parent_tool_use_id']);
  if (value === undefined || toolUseId === undefined || toolUseId === '') return undefined;
  return {
    toolUseId,
    agentId: stringOf(value['agent_id']),
    type: stringOf(value['subagent_type']),
    description: stringOf(value['task_description']),
  };
}
