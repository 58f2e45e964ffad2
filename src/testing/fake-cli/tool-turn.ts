import { randomUUID } from 'node:crypto';
import type { FakeCli } from './fake-cli.ts';
import { systemFrame, userFrame } from './frames.ts';
import { callHooks } from './hooks.ts';
import { rpcError, rpcResult } from './mcp-servers.ts';
import type { JsonObject, ToolTurnSpec } from './scenario.ts';
import type { Turn } from './turn.ts';

type Permit =
  | { readonly kind: 'run'; readonly input: JsonObject }
  | { readonly kind: 'refuse'; readonly text: string; readonly interrupts: boolean };

interface Output {
  readonly content: unknown;
  readonly isError: boolean;
}

/** A whole turn with one tool call: hooks, permission, tool, result (WIRE §5, §7). */
export async function runToolTurn(cli: FakeCli, turn: Turn, spec: ToolTurnSpec): Promise<void> {
  const id = `toolu_${randomUUID().replaceAll('-', '').slice(0, 22)}`;
  cli.turns.answer(turn, { type: 'text', text: `Calling ${spec.tool}` });
  cli.turns.answer(turn, { type: 'tool_use', id, name: spec.tool, input: spec.input });
  if (spec.recorded === 'asking') cli.memory.noteTool(turn.uuids);
  turn.tool = { id, name: spec.tool, input: spec.input };
  const permit = await decide(cli, turn, spec, id);
  if (turn.isOver) return;
  if (permit.kind === 'refuse') {
    turn.denials.push({ tool_name: spec.tool, tool_use_id: id, tool_input: spec.input });
    if (permit.interrupts) return interruptedByDeny(cli, turn, permit.text);
  }
  const output =
    permit.kind === 'run' ? await run(cli, turn, spec, permit.input) : { content: permit.text, isError: true };
  if (turn.isOver) return;
  if (permit.kind === 'run') {
    const report = { tool_name: spec.tool, tool_input: permit.input, tool_response: output.content, tool_use_id: id };
    await callHooks(cli, 'PostToolUse', report, turn);
    if (turn.isOver) return;
  }
  writeToolResult(cli, id, output);
  turn.tool = undefined;
  cli.turns.fold(turn);
  const text = `Tool said: ${JSON.stringify([output.content])}`;
  cli.turns.answer(turn, { type: 'text', text });
  await cli.turns.conclude(turn, { result: text, num_turns: 2 });
}

async function decide(cli: FakeCli, turn: Turn, spec: ToolTurnSpec, id: string): Promise<Permit> {
  const call = { tool_name: spec.tool, tool_input: spec.input, tool_use_id: id };
  const verdict = await callHooks(cli, 'PreToolUse', call, turn);
  const input = verdict.updatedInput ?? spec.input;
  if (verdict.decision === 'deny') {
    const text = `PreToolUse:${spec.tool} hook error: ${String(verdict.reason ?? '')}`;
    return { kind: 'refuse', text, interrupts: false };
  }
  const isAsked = (spec.ask ?? true) && cli.permissionMode !== 'bypassPermissions';
  if (turn.isOver || verdict.decision === 'allow' || (!isAsked && verdict.decision !== 'ask'))
    return { kind: 'run', input };
  const { asksOverStdio, permissionTool } = cli.launch;
  const isHeard = asksOverStdio || (cli.behaviour.dialect === 'print' && permissionTool !== undefined);
  if (!isHeard || cli.permissionMode === 'dontAsk') {
    const text = `Permission to use ${spec.tool} was denied.`;
    const facts = { tool_name: spec.tool, tool_use_id: id, message: text };
    cli.output.frame(systemFrame(cli.sessionId, 'permission_denied', facts));
    return { kind: 'refuse', text, interrupts: false };
  }
  return ask(cli, turn, { ...spec, input }, id);
}

async function ask(cli: FakeCli, turn: Turn, spec: ToolTurnSpec, id: string): Promise<Permit> {
  cli.turns.setState('requires_action');
  const question = {
    subtype: 'can_use_tool',
    tool_name: spec.tool,
    ...(cli.flavor.hasTerminalReasons ? { display_name: spec.tool } : {}),
    input: spec.input,
    permission_suggestions: [
      { type: 'addRules', rules: [{ toolName: spec.tool }], behavior: 'allow', destination: 'localSettings' },
    ],
    tool_use_id: id,
  };
  const asked = cli.own.send(question, { owner: turn });
  const report = { tool_name: spec.tool, tool_input: spec.input };
  void callHooks(cli, 'PermissionRequest', report, turn);
  const answer = await asked;
  if (!turn.isOver) cli.turns.setState('running');
  if (answer.kind === 'error') return refused(`Tool permission request failed: Error: ${answer.message}`);
  if (answer.kind !== 'success') {
    return refused(
      'Tool permission request failed: AbortError: Tool permission stream closed before response received',
    );
  }
  const { behavior, updatedInput, message, interrupt } = answer.payload;
  cli.journal.add({ kind: 'decision', tool: spec.tool, input: spec.input, answer: answer.payload });
  if (behavior === 'allow') {
    if (updatedInput === undefined && cli.flavor.allowNeedsUpdatedInput) {
      return refused('Tool permission request failed: ZodError: updatedInput is required');
    }
    const isChanged = typeof updatedInput === 'object' && updatedInput !== null && Object.keys(updatedInput).length > 0;
    return { kind: 'run', input: isChanged ? (updatedInput as JsonObject) : spec.input };
  }
  if (behavior === 'deny' && typeof message === 'string') return refused(message, interrupt === true);
  return refused('Tool permission request failed: invalid permission result');
}

function refused(text: string, interrupts = false): Permit {
  return { kind: 'refuse', text, interrupts };
}

async function run(cli: FakeCli, turn: Turn, spec: ToolTurnSpec, input: JsonObject): Promise<Output> {
  cli.memory.noteTool(turn.uuids);
  cli.journal.add({ kind: 'tool', tool: spec.tool, input });
  if (spec.runMs !== undefined) await turn.pause(spec.runMs);
  const [, server, ...name] = spec.tool.startsWith('mcp__') ? spec.tool.split('__') : [];
  if (server === undefined || !cli.mcp.has(server)) {
    return { content: spec.output ?? `(${spec.tool} completed with no output)`, isError: false };
  }
  const params = { name: name.join('__'), arguments: input, _meta: { 'claudecode/toolUseId': turn.tool?.id } };
  const call = cli.mcp.call(server, params);
  turn.abandonCall = call.abandon;
  const answer = await call.answer;
  turn.abandonCall = undefined;
  const result = rpcResult(answer);
  if (result === undefined) return { content: rpcError(answer), isError: true };
  return { content: result.content, isError: result.isError === true };
}

function writeToolResult(cli: FakeCli, id: string, output: Output): void {
  const block = { tool_use_id: id, type: 'tool_result', content: output.content };
  cli.output.frame(userFrame(cli.sessionId, [output.isError ? { ...block, is_error: true } : block]));
}

/** Deny with `interrupt:true` ends the turn; the newer releases hide the host's text (WIRE §5). */
function interruptedByDeny(cli: FakeCli, turn: Turn, text: string): void {
  const { flavor, output, sessionId } = cli;
  const canned = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
  const content = flavor.hidesDenyMessageOnInterrupt ? canned : text;
  writeToolResult(cli, turn.tool?.id ?? '', { content, isError: true });
  output.frame(userFrame(sessionId, [{ type: 'text', text: '[Request interrupted by user for tool use]' }]));
  const overrides = {
    subtype: 'error_during_execution',
    is_error: flavor.interruptIsError,
    ...(flavor.hasTerminalReasons ? { terminal_reason: 'aborted_tools' } : {}),
    num_turns: 3,
  };
  cli.turns.finish(turn, overrides, 'cancelled');
}
