import type { RemoteTurn } from '../../client/remote-turn.ts';
import type { TroupeClient } from '../../client/troupe-client.ts';
import { CliMessage } from '../../wire/cli-message.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { LEAVE_EXIT, type LeaveReason, onLeave } from '../leave.ts';
import { write } from '../output.ts';
import { textOutput } from '../run/run-output.ts';
import { plain } from '../terminal/plain-text.ts';
import { lineOfMessage } from './remote-log.ts';

export interface PromptFlags {
  readonly json?: true;
  readonly wait?: boolean;
  readonly id?: string;
  readonly onBusy?: 'enqueue' | 'steer' | 'interrupt' | 'reject';
}

/** Sends a prompt; then shows its turn, unless it is not to be waited for. To leave does not end the prompt. */
export async function sendPrompt(
  client: TroupeClient,
  { session, text, flags }: { readonly session: string; readonly text: string; readonly flags: PromptFlags },
): Promise<ExitCode> {
  const end = new AbortController();
  let why: LeaveReason | undefined;
  const stopListening = onLeave((reason) => {
    why ??= reason;
    end.abort();
  });
  try {
    const { id, onBusy, json } = flags;
    // A prompt is sent again for as long as nobody answers: whether anybody does, is asked before.
    await client.session(session).read();
    const turn = client.session(session).prompt(text, {
      signal: end.signal,
      ...(id === undefined ? {} : { id }),
      ...(onBusy === undefined ? {} : { onBusy }),
    });
    await turn.accepted;
    if (json === true) await write(jsonLine({ type: 'prompt.sent', sessionId: session, promptId: turn.id }));
    if (flags.wait === false) {
      if (json !== true) await write(`${plain(turn.id)}\n`);
      return EXIT.done;
    }
    // Whoever leaves waits for nothing: the reading of the turn has no signal of its own.
    return await Promise.race([shown(turn, json === true), left(end.signal)]);
  } catch (error) {
    if (why === undefined) throw error;
    return LEAVE_EXIT[why];
  } finally {
    stopListening();
  }
}

async function shown(turn: RemoteTurn, isJson: boolean): Promise<ExitCode> {
  const output = textOutput((piece) => void write(process.stdout.isTTY ? plain(String(piece)) : piece));
  for await (const event of turn) {
    if (isJson) await write(`${lineOfMessage(event)}\n`);
    else output.show(new CliMessage(Buffer.from(event.line), event.kind, event.subtype));
  }
  output.end();
  const result = await turn.result;
  if (isJson) await write(jsonLine({ type: 'prompt.result', ...result }));
  if (result.outcome === 'completed') return EXIT.done;
  console.error(`troupe: ${plain(result.error?.message ?? `The turn was ${result.outcome}.`)}`);
  return result.outcome === 'interrupted' ? EXIT.interrupted : EXIT.failed;
}

function left(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
