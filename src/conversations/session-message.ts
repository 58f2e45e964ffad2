import { isRecord, stringOf } from '../wire/fields.ts';
import { blocksOf, contentOf, isMessage, type LinkedRow, type Row, textsOf } from './transcript-row.ts';

/** A message of a past conversation, as `getSessionMessages` and `getSubagentMessages` return it. */
export interface SessionMessage {
  readonly type: 'user' | 'assistant' | 'system';
  readonly uuid: string;
  /** The conversation the row was written in; a fork that the CLI made keeps the first one's rows under its own id. */
  readonly session_id: string;
  /** As the API has it; undefined for system messages. */
  readonly message: unknown;
  /** For a subagent: the tool call that started it. */
  readonly parent_tool_use_id: string | null;
  /** For a subagent that another subagent started: that one's id. */
  readonly parent_agent_id: string | null;
  /** ISO 8601. */
  readonly timestamp?: string;
  /** The text that stands for what a compaction left out. */
  readonly isCompactSummary?: true;
  /** Not written by a person. */
  readonly is_meta?: true;
  /** A prompt that was put into a running turn. */
  readonly isQueuedCommand?: true;
  /** A command that the CLI ran itself, or its output: the model never saw it as a prompt. */
  readonly isCompletedLocalCommand?: true;
  readonly interruptedByShutdown?: true;
  /** Who or what sent it, where that was recorded. */
  readonly origin?: unknown;
  /** About its tool results: why a call was not run, how it ended. */
  readonly tool_result_meta?: readonly unknown[];
}

export interface ShownOptions {
  readonly withSystem: boolean;
  readonly withMeta: boolean;
}

/** The messages of a chain that are to be shown. */
export function shownMessages(
  chain: readonly LinkedRow[],
  options: ShownOptions,
  parents: { readonly toolUseId?: string | undefined; readonly agentId?: string | undefined } = {},
): SessionMessage[] {
  const commands = localCommands(chain);
  const answered = answeredRows(chain, commands);
  const ids = new Set(chain.map(({ uuid }) => uuid));
  return chain.flatMap((row, index) => {
    const isCommand = commands.has(row);
    const prompt = answered[index] === true ? queuedPrompt(row, ids) : undefined;
    const shown = prompt ?? row;
    if (!isShown(shown, options)) return [];
    return [messageOf(shown, { isCommand, isQueued: prompt !== undefined }, parents)];
  });
}

function isShown(row: LinkedRow, { withSystem, withMeta }: ShownOptions): boolean {
  if (!isMessage(row) && !(withSystem && row.type === 'system')) return false;
  if (withMeta) return isMessage(row);
  return row['isMeta'] !== true && row['isSidechain'] !== true && !row['teamName'];
}

function messageOf(
  row: LinkedRow,
  { isCommand, isQueued }: { isCommand: boolean; isQueued: boolean },
  { toolUseId, agentId }: { readonly toolUseId?: string | undefined; readonly agentId?: string | undefined },
): SessionMessage {
  const { isMeta, isCompactSummary, isVisibleInTranscriptOnly, origin, timestamp, interruptedByShutdown } = row;
  const isMachine = isMeta === true || isCompactSummary === true || isVisibleInTranscriptOnly === true;
  const facts = resultFacts(row);
  return {
    type: row.type as SessionMessage['type'],
    uuid: row.uuid,
    session_id: stringOf(row['sessionId']) ?? '',
    message: row['message'],
    parent_tool_use_id: toolUseId ?? null,
    parent_agent_id: agentId ?? null,
    ...(interruptedByShutdown === true ? { interruptedByShutdown } : {}),
    ...(facts.length === 0 ? {} : { tool_result_meta: facts }),
    ...(isCompactSummary === true ? { isCompactSummary } : {}),
    ...(isMachine ? { is_meta: true } : {}),
    ...(isQueued ? { isQueuedCommand: true } : {}),
    ...(isCommand ? { isCompletedLocalCommand: true } : {}),
    ...(typeof timestamp === 'string' ? { timestamp } : {}),
    ...(isRecord(origin) ? { origin } : {}),
  };
}

/** Why a call was not run, or how it ended; said of the row, so it can only be told where the row has one result. */
function resultFacts(row: Row): { id: string; non_execution_kind?: string; call_ended?: string }[] {
  const results = blocksOf(row, 'tool_result');
  const id = results.length === 1 ? stringOf(results[0]?.['tool_use_id']) : undefined;
  const [kind, end] = [stringOf(row['toolDenialKind']), stringOf(row['toolCallEnded'])];
  if (id === undefined || (kind === undefined && end === undefined)) return [];
  return [
    {
      id,
      ...(kind === undefined ? {} : { non_execution_kind: kind }),
      ...(end === undefined ? {} : { call_ended: end }),
    },
  ];
}

/** A prompt that was put into a running turn is stored beside the messages (WIRE §11); here it is one again. */
function queuedPrompt(row: LinkedRow, ids: ReadonlySet<string>): LinkedRow | undefined {
  const { attachment } = row;
  if (row.type !== 'attachment' || !isRecord(attachment) || attachment['type'] !== 'queued_command') return undefined;
  const { prompt, source_uuid: source, isMeta, origin } = attachment;
  if (isMeta === true || (typeof prompt !== 'string' && !Array.isArray(prompt))) return undefined;
  const uuid = stringOf(source) || row.uuid;
  if (uuid !== row.uuid && ids.has(uuid)) return undefined;
  const { parentUuid, sessionId, timestamp, isSidechain, teamName } = row;
  const message = { role: 'user', content: prompt };
  return { type: 'user', uuid, parentUuid, sessionId, timestamp, isSidechain, teamName, message, origin };
}

/** For each row, whether the model went on after it: a queued prompt with a reply behind it was really taken in. */
function answeredRows(chain: readonly LinkedRow[], commands: ReadonlySet<LinkedRow>): boolean[] {
  const answered: boolean[] = [];
  let isAnswered = false;
  for (const row of chain.toReversed()) {
    answered.unshift(isAnswered);
    if (row.type === 'assistant' || blocksOf(row, 'tool_result').length > 0 || isInterruptNote(row)) isAnswered = true;
    else if (row.type === 'user' && row['isMeta'] !== true && row['isCompactSummary'] !== true && !commands.has(row)) {
      isAnswered = false;
    }
  }
  return answered;
}

function isInterruptNote(row: Row): boolean {
  const texts = row.type === 'user' ? textsOf(row) : [];
  return texts.length > 0 && texts.every((text) => text.startsWith('[Request interrupted by user'));
}

const CAVEAT = '<local-command-caveat>';
const RECORD = '<command-name>';
const OUTPUT = ['<local-command-stdout>', '<local-command-stderr>'];

/** A command that the CLI ran itself: a caveat, the command, its output, with no answer between. */
function localCommands(chain: readonly LinkedRow[]): Set<LinkedRow> {
  const found = new Set<LinkedRow>();
  let step: 'none' | 'caveat' | 'command' = 'none';
  for (const row of chain) {
    const text = row.type === 'user' && row['promptSource'] === undefined ? leadOf(row) : '';
    if (row.type === 'assistant') step = 'none';
    if (row.type !== 'user') continue;
    if (row['isMeta'] === true) {
      if (text.startsWith(CAVEAT)) step = 'caveat';
      continue;
    }
    const isCommand = step === 'caveat' && text.startsWith(RECORD);
    const isOutput = step !== 'none' && OUTPUT.some((tag) => text.startsWith(tag));
    if (isCommand || isOutput) found.add(row);
    if (isCommand) step = 'command';
    else if (!isOutput) step = 'none';
  }
  return found;
}

function leadOf(row: Row): string {
  const content = contentOf(row);
  return typeof content === 'string' ? content : (textsOf(row).at(-1) ?? '');
}
