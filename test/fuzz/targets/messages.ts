import { applyEvent } from '../../../src/view/apply-event.ts';
import { applyToTranscript } from '../../../src/view/apply-to-transcript.ts';
import { startView } from '../../../src/view/session-view.ts';
import { EMPTY_TRANSCRIPT } from '../../../src/view/transcript.ts';
import { isModelAnswer, limitHitOf, loginFailureOf } from '../../../src/wire/account-facts.ts';
import type { CliMessage } from '../../../src/wire/cli-message.ts';
import { createCodec } from '../../../src/wire/create-codec.ts';
import { factOf } from '../../../src/wire/facts.ts';
import { frameOf } from '../../../src/wire/frame-class.ts';
import { MessageAssembler } from '../../../src/wire/message-assembler.ts';
import {
  isErrorMessage,
  isResult,
  textDeltaOf,
  textOf,
  thinkingOf,
  toolResultsOf,
  toolUsesOf,
} from '../../../src/wire/message-text.ts';
import { messageUsageOf } from '../../../src/wire/message-usage.ts';
import { subagentOf } from '../../../src/wire/subagent.ts';
import { recordedStreams } from '../recorded-lines.ts';
import { type FuzzTarget, holds } from '../target.ts';

export const target: FuzzTarget = {
  name: 'messages',
  promise: 'P6, P7 Messages of any shape give facts, frames, texts and views of JSON; nothing throws.',
  format: 'ndjson',
  isGuided: true,
  seeds: () => recordedStreams(4),
  open: () => ({ run: reads }),
};

function reads(input: Buffer): void {
  const codec = createCodec('stream-json');
  const assembler = new MessageAssembler();
  let view = startView({ id: 's', groups: [] });
  let transcript = EMPTY_TRANSCRIPT;
  let seq = 0;
  const read = (message: CliMessage) => {
    seq += 1;
    isJson(factOf(message), 'The fact');
    isJson(frameOf(message), 'The frame');
    readTexts(message);
    assembler.push(message);
    const place = { seq, epoch: 1, at: 1_700_000_000_000 + seq };
    const { type: kind, subtype, text: line } = message;
    const event = { type: 'message' as const, kind, ...(subtype !== undefined && { subtype }), line, ...place };
    view = applyEvent(view, event);
    transcript = applyToTranscript(transcript, event);
  };
  for (const line of input.toString('latin1').split('\n', 200)) {
    codec.decode(Buffer.from(line, 'latin1'), (decoded) => {
      if (decoded.kind === 'message') read(decoded.message);
    });
  }
  holds(view.seq === seq && transcript.seq === seq, 'A view stopped on the way.');
  isJson(view, 'The view');
  isJson(transcript, 'The transcript');
  assembler.newest();
}

function readTexts(message: CliMessage): void {
  for (const text of [textOf(message), thinkingOf(message), textDeltaOf(message) ?? '']) {
    holds(typeof text === 'string', `A text is a ${typeof text}.`);
  }
  holds(Array.isArray(toolUsesOf(message)) && Array.isArray(toolResultsOf(message)), 'Tools are no list.');
  holds(typeof isResult(message) === 'boolean' && typeof isErrorMessage(message) === 'boolean', 'Neither yes nor no.');
  const fact = factOf(message);
  if (fact?.type === 'turn.result') limitHitOf(fact, 1_700_000_000_000);
  loginFailureOf(message);
  isModelAnswer(message);
  messageUsageOf(message);
  subagentOf(message);
}

function isJson(value: unknown, what: string): void {
  if (value === undefined) return;
  const text = JSON.stringify(value);
  holds(typeof text === 'string', `${what} is no JSON.`);
}
