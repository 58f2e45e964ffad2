import type { TroupeClient } from '../../client/troupe-client.ts';
import { TroupeError } from '../../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { write } from '../output.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { styleOf } from '../terminal/style.ts';
import { lasting } from '../terminal/time-words.ts';
import { questionCard } from './question-card.ts';
import { type AskedQuestion, openQuestions, questionNamed } from './question-id.ts';

interface JsonFlag {
  readonly json?: true;
}

export interface AllowFlags extends JsonFlag {
  readonly session?: true;
  readonly always?: true;
  readonly input?: Readonly<Record<string, unknown>>;
}

export interface DenyFlags extends JsonFlag {
  readonly message?: string;
  readonly interrupt?: true;
}

const COLUMNS = 100;

/** The open questions, with everything they would do. */
export async function showInbox(client: TroupeClient, { json }: JsonFlag): Promise<ExitCode> {
  if (json === true) {
    const { permissions } = await client.ask<{ permissions: readonly AskedQuestion[] }>('/v1/permissions');
    for (const question of permissions) await write(jsonLine(question));
    return EXIT.done;
  }
  const style = styleOf(process.stdout);
  const open = await openQuestions(client);
  for (const question of open) {
    const head = `${style.bold(question.globalId)}  ${style.dim(`asked ${lasting(Date.now() - question.requestedAt)} ago`)}`;
    const card = questionCard(question, { style, columns: process.stdout.columns ?? COLUMNS });
    await write(`${[head, ...card, ''].join('\n')}\n`);
  }
  const first = open[0];
  await write(
    first === undefined
      ? 'Nobody asks anything.\n'
      : style.dim(`Answer by: troupe approve ${first.globalId}, or troupe deny … --message <why>\n`),
  );
  return EXIT.done;
}

export async function approve(client: TroupeClient, question: string, flags: AllowFlags): Promise<ExitCode> {
  const { input } = flags;
  const scope = flags.always === true ? 'always' : flags.session === true ? 'session' : undefined;
  return answer(client, question, flags, {
    verb: 'Allowed',
    tool: {
      behavior: 'allow',
      ...(scope === undefined ? {} : { scope }),
      ...(input === undefined ? {} : { updatedInput: input }),
    },
    elicitation: { action: 'accept', ...(input === undefined ? {} : { content: input }) },
    dialog: { behavior: 'completed', result: input ?? {} },
  });
}

export async function deny(client: TroupeClient, question: string, flags: DenyFlags): Promise<ExitCode> {
  return answer(client, question, flags, {
    verb: 'Denied',
    tool: {
      behavior: 'deny',
      ...(flags.message === undefined ? {} : { message: flags.message }),
      ...(flags.interrupt === true ? { interrupt: true } : {}),
    },
    elicitation: { action: 'decline' },
    dialog: { behavior: 'cancelled' },
  });
}

type Answers = Readonly<Record<AskedQuestion['kind'], Readonly<Record<string, unknown>>>>;

async function answer(
  client: TroupeClient,
  name: string,
  { json }: JsonFlag,
  { verb, ...answers }: Answers & { readonly verb: string },
): Promise<ExitCode> {
  const globalId = await questionNamed(client, name);
  const path = `/v1/permissions/${encodeURIComponent(globalId)}`;
  const { kind } = await client.ask<AskedQuestion>(path);
  const answered = await client.ask<AskedQuestion>(path, { method: 'POST', body: answers[kind] });
  await write(
    json === true
      ? jsonLine(answered)
      : `${verb}: ${plainLine(answered.toolName ?? answered.kind)} of ${plainLine(answered.sessionId)}.\n`,
  );
  return EXIT.done;
}

/** What `--input` says. */
export function inputOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new TroupeError('INVALID_OPTIONS', { reason: '--input: expected an object of JSON.' });
}
