import { randomUUID } from 'node:crypto';
import type { FakeCli } from './fake-cli.ts';
import { assistantFrame, named, resultFrame, streamEvent, systemFrame, systemInit, userFrame } from './frames.ts';
import { callHooks } from './hooks.ts';
import type { EchoTurnSpec, JsonObject } from './scenario.ts';
import type { PromptState } from './session-memory.ts';
import { runRule } from './steps.ts';
import { type Outcome, type Prompt, promptOf, Turn } from './turn.ts';

/** The most characters of a prompt that an entry of the journal repeats. */
const MAX_TEXT = 200;

/** Queues prompts, runs one turn at a time, and keeps the books the way the CLI does (WIRE §8, §11). */
export class Turns {
  readonly #cli: FakeCli;
  readonly #queue: Prompt[] = [];
  #current: Turn | undefined;
  #messageCount = 0;
  #resultCount = 0;
  #totalCostUsd: number;
  #state = 'idle';
  isLastError = false;

  constructor(cli: FakeCli, costUsd: number) {
    this.#cli = cli;
    this.#totalCostUsd = costUsd;
  }

  get current(): Turn | undefined {
    return this.#current;
  }

  get isIdle(): boolean {
    return this.#current === undefined && this.#queue.length === 0;
  }

  get state(): string {
    return this.#state;
  }

  get totalCostUsd(): number {
    return this.#totalCostUsd;
  }

  /** Takes a `user` line. */
  receive(message: JsonObject): void {
    const cli = this.#cli;
    const prompt = promptOf(message);
    if (this.#isDuplicate(prompt)) return;
    const bare = cli.rules.find({ kind: 'prompt', text: prompt.text, isBare: true });
    if (bare !== undefined) {
      cli.memory.note(prompt.uuid, 'queued');
      void runRule(cli, bare, { prompt, fallThrough: () => this.#enqueue(prompt) });
      return;
    }
    this.#enqueue(prompt);
  }

  /** Starts the next turn when nothing stands in its way. */
  pump(): void {
    const cli = this.#cli;
    if (this.#current !== undefined || this.#queue.length === 0 || cli.isInitializing || cli.isLeaving) return;
    const prompts = this.#take();
    const turn = new Turn(prompts, this.#nextMessageId());
    this.#current = turn;
    this.setState('running');
    for (const prompt of prompts.slice(0, -1)) this.#replay(prompt, prompt.content);
    for (const prompt of prompts) this.#mark(prompt, 'started');
    void this.#run(turn);
  }

  /** A turn nobody asked for (WIRE §0.6). */
  unprompted(): Turn {
    const turn = new Turn([], this.#nextMessageId());
    this.#current ??= turn;
    this.setState('running');
    this.#open(turn);
    return turn;
  }

  /** Answers with a text and ends the turn. */
  async echo(turn: Turn, spec: EchoTurnSpec = {}): Promise<void> {
    const text = spec.text ?? `Echo: ${turn.text}`;
    turn.costUsd = spec.costUsd ?? turn.costUsd;
    if (this.#cli.launch.includesPartialMessages) this.#startStream(turn);
    await this.#speak(turn, text, spec.wordMs ?? 0);
    if (turn.isOver) return;
    for (let line = 0; line < (spec.lines ?? 1); line += 1) this.answer(turn, { type: 'text', text });
    this.#endStream(turn, 'end_turn');
    await this.conclude(turn, { result: text });
  }

  /** One `assistant` frame; the first of a turn brings the echo of its prompt along (WIRE §11). */
  answer(turn: Turn, block: JsonObject, extra: JsonObject = {}): void {
    const { output, flavor, sessionId, model } = this.#cli;
    const isFirst = !turn.hasAnswered;
    turn.hasAnswered = true;
    const last = turn.prompts.at(-1);
    if (isFirst && last !== undefined) {
      this.#replay(last, turn.prompts.length === 1 ? last.content : turn.text, new Date().toISOString());
    }
    const frame = assistantFrame(sessionId, { id: turn.messageId, model, block });
    output.frame({ ...frame, ...extra, ...(isFirst ? named(flavor, turn.uuids) : {}) });
  }

  /** Asks the Stop hooks and ends the turn. */
  async conclude(turn: Turn, overrides: JsonObject): Promise<void> {
    await callHooks(this.#cli, 'Stop', { stop_hook_active: false }, turn);
    if (!turn.isOver) this.finish(turn, overrides);
  }

  /** Writes the result; a second result of the same turn is only written. */
  finish(turn: Turn, overrides: JsonObject, outcome: Outcome = 'completed'): void {
    const isRepeated = turn.isEnded;
    turn.isEnded = true;
    if (!isRepeated) {
      this.#totalCostUsd += turn.costUsd;
      this.#cli.memory.noteCost(this.#totalCostUsd);
      for (const prompt of turn.folded) this.#mark(prompt, outcome);
    }
    this.#writeResult(turn, overrides);
    if (isRepeated) return;
    for (const prompt of turn.prompts) this.#mark(prompt, outcome);
    if (this.#current === turn) this.#current = undefined;
    if (this.isIdle) this.setState('idle');
    setImmediate(() => {
      this.pump();
      this.#cli.leaveWhenDrained();
    });
  }

  /** Stops the running turn as `interrupt` does; its result follows after the lines that are being read. */
  interrupt(): Promise<void> {
    const turn = this.#current;
    if (turn === undefined || turn.isAborted) return Promise.resolve();
    const wasAsked = this.#cli.own.pending('can_use_tool').length > 0;
    turn.abort();
    this.#cli.own.cancelAllOf(turn);
    this.#cli.children.killAll();
    return new Promise((done) => {
      setImmediate(() => {
        if (!turn.isEnded) this.#writeAborted(turn, wasAsked);
        done();
      });
    });
  }

  /** Drops queued prompts: all, or the one with this uuid. Returns the uuids dropped. */
  cancelQueued(uuid?: string): string[] {
    const dropped = this.#queue.filter((prompt) => uuid === undefined || prompt.uuid === uuid);
    for (const prompt of dropped) {
      this.#queue.splice(this.#queue.indexOf(prompt), 1);
      this.#mark(prompt, 'cancelled');
    }
    return dropped.flatMap((prompt) => prompt.uuid ?? []);
  }

  queuedUuids(): string[] {
    return this.#queue.flatMap((prompt) => prompt.uuid ?? []);
  }

  /** Takes what is queued into the running turn, as the CLI does with a tool result (WIRE §11). */
  fold(turn: Turn): void {
    for (const prompt of this.#queue.splice(0)) {
      turn.folded.push(prompt);
      this.#replay(prompt, prompt.content);
      this.#mark(prompt, 'started');
    }
  }

  setState(state: 'idle' | 'running' | 'requires_action'): void {
    if (this.#state === state) return;
    this.#state = state;
    if (!this.#cli.emitsSessionState) return;
    const mark = this.#cli.marksSessionState ? { sdk_host_only: true } : {};
    this.#cli.output.frame(systemFrame(this.#cli.sessionId, 'session_state_changed', { state, ...mark }));
  }

  #enqueue(prompt: Prompt): void {
    if (this.#state === 'idle') this.setState('running');
    this.#queue.push(prompt);
    this.#mark(prompt, 'queued');
    if (prompt.rank === 0 && this.#current !== undefined && !this.#current.isOver) this.#supersede(this.#current);
    this.pump();
  }

  /** A prompt with priority `now` ends the running turn without an error (WIRE §11). */
  #supersede(turn: Turn): void {
    turn.abort();
    this.#cli.own.cancelAllOf(turn);
    if (turn.said !== '') this.answer(turn, { type: 'text', text: turn.said }, { aborted: true });
    this.finish(turn, { result: turn.said, terminal_reason: 'aborted_streaming' }, 'cancelled');
  }

  #take(): Prompt[] {
    const rank = Math.min(...this.#queue.map((prompt) => prompt.rank));
    const chosen = this.#queue.filter((prompt) => prompt.rank === rank);
    const taken = this.#cli.flavor.mergesQueue ? chosen : chosen.slice(0, 1);
    for (const prompt of taken) this.#queue.splice(this.#queue.indexOf(prompt), 1);
    return taken;
  }

  async #run(turn: Turn): Promise<void> {
    const cli = this.#cli;
    // Lines of the same chunk are taken before the turn shows itself, as measured in the recordings.
    await new Promise((done) => setImmediate(done));
    await cli.mcp.ready();
    if (turn.isOver) return;
    const verdict = await callHooks(cli, 'UserPromptSubmit', { prompt: turn.text }, turn);
    if (turn.isOver) return;
    this.#open(turn);
    if (verdict.decision === 'block') {
      cli.output.frame(systemFrame(cli.sessionId, 'informational', { content: String(verdict.reason ?? '') }));
      this.finish(turn, { result: String(verdict.reason ?? ''), num_turns: 0 });
      return;
    }
    if (turn.text.trim() === '/clear') {
      this.#clear(turn);
      return;
    }
    const byDefault = async () => {
      if (cli.behaviour.thinkMs !== undefined) await turn.pause(cli.behaviour.thinkMs);
      if (!turn.isOver) await this.echo(turn);
    };
    const rule = cli.rules.find({ kind: 'prompt', text: turn.text, isBare: false });
    if (rule === undefined) await byDefault();
    else await runRule(cli, rule, { turn, fallThrough: byDefault });
  }

  #open(turn: Turn): void {
    const { output, flavor, launch, mcp, sessionId, model, permissionMode } = this.#cli;
    const facts = { sessionId, model, permissionMode, mcpServers: mcp.status(), tools: mcp.tools() };
    output.frame(systemInit(flavor, facts));
    if (launch.includesPartialMessages && flavor.hasTerminalReasons && turn.prompts.length > 0) {
      output.frame(systemFrame(sessionId, 'status', { status: 'requesting' }));
    }
  }

  #clear(turn: Turn): void {
    const cli = this.#cli;
    const reset = { new_conversation_id: randomUUID(), trigger: 'clear' };
    cli.output.frame({ type: 'conversation_reset', ...reset, session_id: cli.sessionId, uuid: randomUUID() });
    cli.changeSession(randomUUID());
    cli.memory.note(undefined, 'started');
    this.finish(turn, { result: '', num_turns: 0 });
  }

  async #speak(turn: Turn, text: string, wordMs: number): Promise<void> {
    const words = wordMs === 0 ? [text] : (text.match(/\S+\s*/g) ?? []);
    for (const word of words) {
      if (turn.said !== '') await turn.pause(wordMs);
      if (turn.isOver) return;
      turn.said += word;
      const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } };
      if (turn.isStreaming) this.#cli.output.frame(streamEvent(this.#cli.sessionId, delta));
    }
  }

  #startStream(turn: Turn): void {
    const { output, sessionId, model } = this.#cli;
    turn.isStreaming = true;
    const message = { id: turn.messageId, type: 'message', role: 'assistant', model, content: [], stop_reason: null };
    output.frame(streamEvent(sessionId, { type: 'message_start', message }));
    const block = { type: 'text', text: '' };
    output.frame(streamEvent(sessionId, { type: 'content_block_start', index: 0, content_block: block }));
  }

  #endStream(turn: Turn, stopReason: string | null): void {
    if (!turn.isStreaming) return;
    turn.isStreaming = false;
    const { output, sessionId } = this.#cli;
    output.frame(streamEvent(sessionId, { type: 'content_block_stop', index: 0 }));
    const delta = { stop_reason: stopReason, stop_sequence: null };
    output.frame(streamEvent(sessionId, { type: 'message_delta', delta, usage: { output_tokens: 20 } }));
    output.frame(streamEvent(sessionId, { type: 'message_stop' }));
  }

  #writeAborted(turn: Turn, wasAsked: boolean): void {
    const { flavor, output, sessionId } = this.#cli;
    const isInTool = turn.tool !== undefined || wasAsked;
    if (turn.tool !== undefined) {
      const content = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
      const result = { type: 'tool_result', content, is_error: true, tool_use_id: turn.tool.id };
      output.frame(userFrame(sessionId, [result]));
      const { id, name, input } = turn.tool;
      if (wasAsked) turn.denials.push({ tool_name: name, tool_use_id: id, tool_input: input });
    } else if (turn.said !== '' && flavor.partialOnInterrupt !== 'lost') {
      this.answer(
        turn,
        { type: 'text', text: turn.said },
        flavor.partialOnInterrupt === 'flagged' ? { aborted: true } : {},
      );
    }
    const note = isInTool ? '[Request interrupted by user for tool use]' : '[Request interrupted by user]';
    output.frame(userFrame(sessionId, [{ type: 'text', text: note }]));
    if (flavor.partialOnInterrupt === 'flagged') this.#endStream(turn, null);
    const reason = isInTool ? 'aborted_tools' : 'aborted_streaming';
    const overrides = {
      subtype: 'error_during_execution',
      is_error: flavor.interruptIsError,
      num_turns: flavor.countsTurnsOverall ? 0 : 2,
      ...(flavor.hasTerminalReasons ? { terminal_reason: reason, stop_reason: null } : {}),
      ...(flavor.interruptIsError ? { errors: ['[ede_diagnostic] result_type=user'] } : {}),
    };
    this.finish(turn, overrides, 'cancelled');
  }

  #writeResult(turn: Turn, overrides: JsonObject): void {
    const { flavor, sessionId, model, output } = this.#cli;
    const frame = resultFrame(flavor, {
      sessionId,
      model,
      totalCostUsd: this.#totalCostUsd,
      costUsd: turn.costUsd,
      durationMs: Date.now() - turn.startedAt,
      resultIndex: this.#resultCount,
      // 1.0.128 counted on from turn to turn: 1, 4, 7 (WIRE §23).
      turnCount: flavor.countsTurnsOverall ? 1 + 3 * this.#resultCount : 1,
      promptIds: turn.uuids,
      denials: turn.denials,
      overrides: turn.prompts.length === 0 ? { origin: { kind: 'task-notification' }, ...overrides } : overrides,
    });
    this.#resultCount += 1;
    this.isLastError = frame.is_error === true;
    output.frame(frame);
  }

  #isDuplicate(prompt: Prompt): boolean {
    const { deduplication, hasLifecycle } = this.#cli.flavor;
    if (prompt.uuid === undefined || deduplication === 'none') return false;
    const known = this.#cli.memory.recall(prompt.uuid);
    if (known === undefined) return false;
    const isFinished = known.state === 'completed' || known.state === 'cancelled';
    const isCutOff = known.isInherited && !isFinished;
    // What got as far as a tool is called done without a turn: the tool may have run (WIRE §15).
    if (isCutOff && deduplication !== 'any' && !known.hasTool) return false;
    if (isFinished && !known.isInherited) this.#replay(prompt, prompt.content);
    if (hasLifecycle && known.isInherited) this.#lifecycle(prompt.uuid, isCutOff ? 'completed' : known.state);
    return true;
  }

  #mark(prompt: Prompt, state: PromptState): void {
    this.#cli.memory.note(prompt.uuid, state);
    if (prompt.uuid !== undefined)
      this.#cli.journal.add({ kind: 'prompt', uuid: prompt.uuid, text: prompt.text.slice(0, MAX_TEXT), state });
    if (prompt.uuid !== undefined && this.#cli.flavor.hasLifecycle) this.#lifecycle(prompt.uuid, state);
  }

  #lifecycle(uuid: string, state: PromptState): void {
    const { output, sessionId } = this.#cli;
    output.frame({ type: 'command_lifecycle', command_uuid: uuid, state, uuid: randomUUID(), session_id: sessionId });
  }

  #replay(prompt: Prompt, content: unknown, timestamp?: string): void {
    if (!this.#cli.launch.replaysUserMessages) return;
    this.#cli.output.frame(
      userFrame(this.#cli.sessionId, content, {
        uuid: prompt.uuid ?? randomUUID(),
        timestamp,
        ...(this.#cli.flavor.marksReplays ? { isReplay: true } : {}),
      }),
    );
  }

  #nextMessageId(): string {
    this.#messageCount += 1;
    return `msg_${String(this.#messageCount).padStart(22, '0')}`;
  }
}
