import type { Random } from '../chaos/random.ts';
import type { CliMemory } from './cli-memory.ts';
import { type Frame, recordIn, resultFrame, subtypeOf, textOf } from './frame.ts';
import type { CliAct } from './script.ts';

/** What a process can do to the world around it. */
export interface CliBody {
  readonly sessionId: string;
  readonly number: number;
  readonly mark: string;
  write(bytes: Buffer): void;
  /** Everything that it has written so far is on its way. */
  flush(): void;
  /** Something that it wrote lies in the pipe. */
  hasHeldBack(): boolean;
  stderr(line: string): void;
  exit(exitCode: number | null, signal: string | null): void;
  startTool(isDetached: boolean, hasMark: boolean): void;
}

interface Prompt {
  readonly wire: string;
  readonly text: string;
}

interface Turn {
  /** Empty for one that it began by itself. */
  readonly prompts: Prompt[];
  asks?: { readonly requestId: string; readonly command: string; readonly toolUseId: string } | undefined;
}

const CAPABILITIES = ['msg_lifecycle_v1', 'interrupt_receipt_v1', 'interrupt_cancel_queued_v1'];

/** One process of a CLI of a current release: what it does of itself is said by the script of the world. */
export class SimulatedCli {
  readonly body: CliBody;
  /** The lines it said that are no answers and no questions, each by a name of its own. */
  readonly said: string[] = [];
  /** What the host asked it for, in order. */
  readonly requests: Frame[] = [];
  readonly conversationId: string;
  readonly #memory: CliMemory;
  readonly #random: Random;
  readonly #waiting: Prompt[] = [];
  readonly #inbox: Frame[] = [];
  #turn: Turn | undefined;
  #isStopped = false;
  #isDeaf = false;
  #isGone = false;
  #named = 0;
  #lastResult: Frame | undefined;
  #mode: string;

  constructor(
    body: CliBody,
    { conversation, mode }: { readonly conversation: string; readonly mode: string },
    memory: CliMemory,
    random: Random,
  ) {
    this.body = body;
    this.conversationId = conversation;
    this.#mode = mode;
    this.#memory = memory;
    this.#random = random;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get isAtWork(): boolean {
    return this.#turn !== undefined;
  }

  /** What the next act is that a healthy one would do; undefined when it has nothing to do, or waits for an answer. */
  get nextAct(): CliAct | undefined {
    if (this.#isGone) return undefined;
    if (this.#isStopped) return 'continue';
    if (this.#isDeaf) return 'hear-again';
    return this.#turn === undefined || this.#turn.asks !== undefined ? undefined : 'finish';
  }

  hear(line: string): void {
    const frame: Frame = JSON.parse(line);
    if (frame['type'] === 'user') this.#memory.given.add(textOf(frame));
    if (this.#isStopped) this.#inbox.push(frame);
    else this.#obey(frame);
  }

  /** Its input has come to its end. */
  inputEnded(): void {
    if (this.#isStopped || this.#isDeaf) return;
    this.#leave(0, null);
  }

  signalled(): void {
    if (this.#isStopped || this.#isDeaf) return;
    this.#leave(143, null);
  }

  /** It was ended by force: nothing of it happens any more. */
  killed(): void {
    this.#gone();
  }

  act(act: CliAct): void {
    if (this.#isGone) return;
    if (this.#isStopped && act !== 'continue' && act !== 'sigkill') return;
    switch (act) {
      case 'text':
        this.#streams();
        break;
      case 'tool':
        this.#asks();
        break;
      case 'recall':
        this.#recalls();
        break;
      case 'finish':
        this.#ends('completed');
        break;
      case 'fail':
        this.#ends('failed');
        break;
      case 'late-result':
        if (this.#lastResult !== undefined) this.#says(this.#lastResult);
        break;
      case 'own-turn':
        this.#takesTurnOfItsOwn();
        break;
      case 'noise':
        this.#babbles();
        break;
      case 'unknown':
        this.#says({ type: 'never_heard_of', subtype: 'new', payload: { deep: [1, 2, 3] } });
        break;
      case 'stderr':
        this.body.stderr(`warning ${this.#random.below(100)}`);
        break;
      case 'exit':
        this.#leave(this.#random.pick([0, 1, 2, 137]), null);
        break;
      case 'sigkill':
        this.#leave(null, 'SIGKILL');
        break;
      case 'half-line':
        this.body.write(Buffer.from('{"type":"assistant","message":{"role":"assist'));
        this.#leave(1, null);
        break;
      case 'child':
        this.body.startTool(false, true);
        break;
      case 'orphan':
        this.body.startTool(true, this.#random.chance(0.8));
        break;
      case 'stop':
        this.#isStopped = true;
        break;
      case 'continue':
        this.#isStopped = false;
        for (const frame of this.#inbox.splice(0)) this.#obey(frame);
        break;
      case 'deafen':
        this.#isDeaf = true;
        break;
      case 'hear-again':
        this.#isDeaf = false;
        break;
      case 'mode':
        this.#mode = this.#random.pick(['plan', 'default']);
        this.#says({ type: 'system', subtype: 'status', permissionMode: this.#mode });
        break;
      case 'flush':
        this.body.flush();
        break;
    }
  }

  #obey(frame: Frame): void {
    if (this.#isGone || this.#isDeaf) return;
    if (frame['type'] === 'user') this.#takes({ wire: String(frame['uuid']), text: textOf(frame) });
    if (frame['type'] === 'control_request') this.#serves(frame);
    if (frame['type'] === 'control_response') this.#isAnswered(frame);
  }

  #takes(prompt: Prompt): void {
    const trace = this.#memory.trace(prompt.text);
    trace.wires.add(prompt.wire);
    const { done, acted } = this.#memory.conversation(this.conversationId);
    if (done.has(prompt.wire) || acted.has(prompt.wire)) {
      trace.said.push('done');
      this.#tells(prompt.wire, 'completed');
      return;
    }
    this.#waiting.push(prompt);
    if (this.#turn === undefined) this.#begins();
    else if (this.#random.chance(0.5)) this.#tells(prompt.wire, 'queued');
  }

  #begins(): void {
    const prompt = this.#waiting.shift();
    if (prompt === undefined) return;
    this.#turn = { prompts: [prompt] };
    this.#memory.trace(prompt.text).begun += 1;
    this.#tells(prompt.wire, 'started');
    this.#opens();
  }

  #opens(): void {
    this.#says({
      type: 'system',
      subtype: 'init',
      model: 'simulated',
      permissionMode: this.#mode,
      claude_code_version: '2.1.332',
      capabilities: CAPABILITIES,
    });
  }

  #serves(frame: Frame): void {
    this.requests.push(frame);
    const subtype = subtypeOf(frame);
    if (subtype === 'interrupt') {
      this.#isInterrupted(frame);
      return;
    }
    if (subtype === 'cancel_async_message') {
      const wire = String(recordIn(frame, 'request')['message_uuid']);
      const index = this.#waiting.findIndex((prompt) => prompt.wire === wire);
      const [prompt] = index < 0 ? [] : this.#waiting.splice(index, 1);
      if (prompt !== undefined) this.#memory.trace(prompt.text).said.push('cancelled');
      this.#answers(frame, { cancelled: prompt !== undefined });
      if (prompt !== undefined) this.#tells(wire, 'cancelled');
      return;
    }
    if (subtype === 'set_permission_mode') this.#mode = String(recordIn(frame, 'request')['mode']);
    const isStart = subtype === 'initialize';
    this.#answers(
      frame,
      isStart
        ? {
            commands: [],
            models: [],
            claude_code_version: '2.1.332',
            current_permission_mode: this.#mode,
            capabilities: CAPABILITIES,
          }
        : {},
    );
  }

  #isInterrupted(frame: Frame): void {
    const { cancel_queued: dropsQueued } = recordIn(frame, 'request');
    const dropped = dropsQueued === true ? this.#waiting.splice(0) : [];
    for (const { text } of dropped) this.#memory.trace(text).said.push('cancelled');
    this.#answers(frame, { still_queued: [], cancelled: dropped.map(({ wire }) => wire) });
    for (const { wire } of dropped) this.#tells(wire, 'cancelled');
    if (this.#turn !== undefined) this.#ends('aborted');
  }

  #isAnswered(frame: Frame): void {
    const response = recordIn(frame, 'response');
    const requestId = String(response['request_id']);
    const { behavior } = recordIn(response, 'response');
    const question = this.#memory.questions.get(requestId);
    const inTime = question?.isOpen === true;
    const known = this.#memory.answers.get(requestId) ?? [];
    known.push({ behavior: String(behavior ?? response['subtype']), inTime });
    this.#memory.answers.set(requestId, known);
    if (question === undefined || !inTime) return;
    question.isOpen = false;
    if (this.#turn?.asks?.requestId !== requestId) return;
    this.#turn.asks = undefined;
    if (behavior === 'allow') {
      this.#memory.toolRuns.set(question.command, (this.#memory.toolRuns.get(question.command) ?? 0) + 1);
    }
    const result = {
      type: 'tool_result',
      tool_use_id: question.toolUseId,
      content: 'seen',
      is_error: behavior !== 'allow',
    };
    this.#says({ type: 'user', message: { role: 'user', content: [result] }, parent_tool_use_id: null });
  }

  #streams(): void {
    if (this.#turn === undefined) return;
    const lines = 1 + this.#random.below(8);
    for (let count = 0; count < lines; count += 1) {
      const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `piece ${count} ` } };
      this.#says({ type: 'stream_event', event, parent_tool_use_id: null });
    }
    if (this.#random.chance(0.3)) this.#speaks([{ type: 'text', text: 'a whole block' }]);
  }

  #asks(): void {
    if (this.#turn === undefined || this.#turn.asks !== undefined) return;
    const name = `${this.body.mark}-q${this.#named++}`;
    const toolUseId = `toolu_${name}`;
    const command = `run ${this.#turn.prompts[0]?.text ?? 'own'} ${name}`;
    for (const { wire } of this.#turn.prompts) this.#memory.conversation(this.conversationId).acted.add(wire);
    this.#speaks([{ type: 'tool_use', id: toolUseId, name: 'Bash', input: { command } }]);
    this.#turn.asks = { requestId: name, command, toolUseId };
    this.#memory.questions.set(name, { sessionId: this.body.sessionId, command, toolUseId, isOpen: true });
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command }, tool_use_id: toolUseId };
    this.#controls({ type: 'control_request', request_id: name, request });
  }

  #recalls(): void {
    const asks = this.#turn?.asks;
    if (this.#turn === undefined || asks === undefined) return;
    this.#closeQuestion();
    this.#controls({ type: 'control_cancel_request', request_id: asks.requestId });
  }

  #closeQuestion(): void {
    const question = this.#memory.questions.get(this.#turn?.asks?.requestId ?? '');
    if (question !== undefined) question.isOpen = false;
    if (this.#turn !== undefined) this.#turn.asks = undefined;
  }

  #ends(how: 'completed' | 'failed' | 'aborted'): void {
    const turn = this.#turn;
    if (turn === undefined || (turn.asks !== undefined && how !== 'aborted')) return;
    if (turn.asks !== undefined) this.#recalls();
    // Those that wait may be answered by the same turn.
    if (how === 'completed' && this.#waiting.length > 0 && this.#random.chance(0.3)) {
      for (const prompt of this.#waiting.splice(0)) {
        this.#memory.trace(prompt.text).begun += 1;
        this.#tells(prompt.wire, 'started');
        turn.prompts.push(prompt);
      }
    }
    const { done } = this.#memory.conversation(this.conversationId);
    for (const { wire, text } of turn.prompts) {
      if (how !== 'aborted') done.add(wire);
      this.#memory.trace(text).said.push(how);
    }
    const uuids = turn.prompts.map(({ wire }) => wire);
    this.#lastResult = resultFrame(how, turn.prompts);
    this.#says(this.#lastResult);
    this.#turn = undefined;
    for (const wire of uuids) this.#tells(wire, 'completed');
    this.#begins();
  }

  #takesTurnOfItsOwn(): void {
    if (this.#turn !== undefined) return;
    this.#turn = { prompts: [] };
    this.#opens();
  }

  #babbles(): void {
    const noise = ['not json at all', '{"type":', '[]', '""', '{"no":"type"}', '\u0000\u0001', '{"type":7}'];
    this.body.write(Buffer.from(`${this.#random.pick(['', ...noise])}\n`));
    this.body.write(Buffer.from([0xff, 0xfe, 0x0a]));
  }

  #speaks(content: readonly Frame[]): void {
    this.#says({ type: 'assistant', message: { role: 'assistant', content }, parent_tool_use_id: null });
  }

  #tells(wire: string, state: string): void {
    this.#says({ type: 'command_lifecycle', command_uuid: wire, state });
  }

  #answers(frame: Frame, response: Frame): void {
    this.#controls({
      type: 'control_response',
      response: { subtype: 'success', request_id: frame['request_id'], response },
    });
  }

  #says(frame: Frame): void {
    if (this.#isGone) return;
    const name = `${this.body.mark}-l${this.said.length}`;
    this.said.push(name);
    this.body.write(Buffer.from(`${JSON.stringify({ ...frame, uuid: name, session_id: this.conversationId })}\n`));
  }

  #controls(frame: Frame): void {
    if (!this.#isGone) this.body.write(Buffer.from(`${JSON.stringify(frame)}\n`));
  }

  #leave(exitCode: number | null, signal: string | null): void {
    this.body.flush();
    this.#gone();
    this.body.exit(exitCode, signal);
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#closeQuestion();
  }
}
