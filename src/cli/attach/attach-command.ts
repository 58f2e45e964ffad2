import type { Command } from 'commander';
import type { RemoteEvent } from '../../client/remote-event.ts';
import type { RemoteSession } from '../../client/remote-session.ts';
import { applyToTranscript } from '../../view/apply-to-transcript.ts';
import { permissionOf } from '../../view/permission-fold.ts';
import type { PermissionView, SessionView } from '../../view/session-view.ts';
import { EMPTY_TRANSCRIPT, type Transcript } from '../../view/transcript.ts';
import type { ViewEvent } from '../../view/view-event.ts';
import { examples, exitCodes } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withSession } from '../fleet/meant-session.ts';
import { questionCard } from '../fleet/question-card.ts';
import { lineOfMessage, newestOf } from '../fleet/remote-log.ts';
import { LEAVE_EXIT, onLeave } from '../leave.ts';
import { type LinkFlags, linkOptions, serverLink } from '../link/server-link.ts';
import { wholeNumber } from '../numbers.ts';
import { onKeys } from '../terminal/keys.ts';
import { type LineSink, LiveLines, plainLines } from '../terminal/live-lines.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { type Style, styleOf } from '../terminal/style.ts';
import { AttachDesk } from './attach-desk.ts';
import { footerOf } from './attach-footer.ts';
import { TranscriptPrinter } from './transcript-printer.ts';

interface AttachFlags extends LinkFlags {
  readonly json?: true;
  readonly lines: number;
}

/** Items of the conversation so far that are shown at first. */
const LINES = 20;
/** Events of the log that are read for them. */
const EVENTS = 500;
/** Of a question; `v` shows the rest. */
const CARD_LINES = 30;
const COLUMNS = 100;
/** Times in the footer go on. */
const FOOTER_MS = 1_000;

export function addAttachCommand(program: Command, finish: (work: Promise<ExitCode>) => Promise<void>): void {
  const command = linkOptions(
    program
      .command('attach')
      .description('Shows a session as it works, and answers, steers and interrupts it by single keys.')
      .argument('<session>', 'the id of the session; troupe ps lists them'),
  )
    .option('--lines <number>', 'how much of the conversation so far is shown', wholeNumber(), LINES)
    .option('--json', 'the events that come, as `logs -f --json` prints them')
    .action((id: string, flags: AttachFlags) => finish(attach(id, flags)));
  command.addHelpText(
    'after',
    `
Keys: y allow, a allow in this session, A always, n deny, N deny with a reason, v view the whole question,
      p prompt, s steer, i interrupt, q detach. The session goes on when you are gone.
It lives through a lost connection. Without a terminal it only shows; answer by troupe approve and troupe deny.`,
  );
  exitCodes(examples(command, [['troupe attach review-1', 'until q, or the end of the session']]));
}

async function attach(id: string, flags: AttachFlags): Promise<ExitCode> {
  const client = await serverLink(flags);
  const view = await withSession(client, id, () => client.session(id).read());
  const past = flags.json === true ? [] : await newestOf(client, view, EVENTS);
  const last = past.at(-1);
  const session = client.session(id, {
    cursor: last === undefined ? `${view.epoch}:${view.seq}` : `${last.epoch}:${last.seq}`,
  });
  if (flags.json === true) return followed(session, jsonLines);
  const isAttended = process.stdout.isTTY === true && process.stdin.isTTY === true;
  return isAttended
    ? attended(session, view, { past, lines: flags.lines })
    : watched(session, view, { past, lines: flags.lines });
}

interface Past {
  readonly past: readonly ViewEvent[];
  readonly lines: number;
}

/** On a terminal, with keys. */
async function attended(session: RemoteSession, view: SessionView, past: Past): Promise<ExitCode> {
  const style = styleOf(process.stdout);
  const sink = new LiveLines(process.stdout);
  const columns = () => sink.columns;
  const pages = new AttachPages({ sink, style, columns, most: CARD_LINES });
  return followed(session, (resolve) => {
    const footer = () => {
      const known = {
        view: session.view.get() ?? view,
        connection: session.connection.get(),
        retryAt: session.retryAt.get(),
      };
      sink.footer(footerOf({ ...known, editor: desk.editor, style, columns: columns(), now: Date.now() }));
    };
    const desk = new AttachDesk({ session, sink, style, columns, changed: footer, detach: () => resolve(EXIT.done) });
    pages.begin(view, past);
    let isLost = false;
    const stops = [
      onKeys(process.stdin, (key) => desk.press(key)),
      session.connection.subscribe((state) => {
        if (state === 'waiting' && !isLost) sink.line(style.yellow('· The connection is lost.'));
        if (state === 'live' && isLost) sink.line(style.green('· Connected again.'));
        isLost = state === 'waiting' || (isLost && state !== 'live');
        footer();
      }),
      session.onEvent((event) => {
        pages.hear(event);
        footer();
      }),
    ];
    const timer = setInterval(footer, FOOTER_MS);
    const resized = () => sink.redraw();
    process.stdout.on('resize', resized);
    return () => {
      clearInterval(timer);
      process.stdout.off('resize', resized);
      for (const stop of stops) stop();
      sink.close();
      console.log(pages.farewell(session.view.get() ?? view));
    };
  });
}

/** In a pipe or a file: what happens, and how to answer. */
function watched(session: RemoteSession, view: SessionView, past: Past): Promise<ExitCode> {
  const pages = new AttachPages({
    sink: plainLines((text) => void process.stdout.write(text)),
    style: styleOf(process.stdout),
    columns: () => COLUMNS,
    most: Number.POSITIVE_INFINITY,
  });
  return followed(session, () => {
    pages.begin(view, past);
    return session.onEvent((event) => pages.hear(event));
  });
}

function jsonLines(_resolve: unknown, session: RemoteSession): () => void {
  return session.onEvent((event) => {
    if ('epoch' in event) process.stdout.write(`${lineOfMessage(event)}\n`);
    else if (event.type === 'subscriber.lagged') process.stdout.write(`${JSON.stringify(event)}\n`);
  });
}

/** Goes on until somebody leaves, or the session has ended. */
async function followed(
  session: RemoteSession,
  begin: (resolve: (code: ExitCode) => void, session: RemoteSession) => () => void,
): Promise<ExitCode> {
  const stops: (() => void)[] = [];
  try {
    return await new Promise<ExitCode>((resolve, reject) => {
      stops.push(onLeave((why) => resolve(LEAVE_EXIT[why])));
      stops.push(begin(resolve, session));
      stops.push(session.refusal.subscribe((error) => error !== undefined && reject(error)));
      let hasBegun = false;
      stops.push(
        session.connection.subscribe((state) => {
          hasBegun ||= state !== 'ended';
          if (hasBegun && state === 'ended') resolve(EXIT.done);
        }),
      );
    });
  } finally {
    for (const stop of stops.toReversed()) stop();
  }
}

interface PageOptions {
  readonly sink: LineSink;
  readonly style: Style;
  readonly columns: () => number;
  readonly most: number;
}

/** What is shown of the events. */
class AttachPages {
  readonly #options: PageOptions;
  readonly #printer: TranscriptPrinter;
  #transcript: Transcript = EMPTY_TRANSCRIPT;
  readonly #asked = new Map<string, PermissionView>();

  constructor(options: PageOptions) {
    this.#options = options;
    this.#printer = new TranscriptPrinter(options.sink, options.style);
  }

  begin(view: SessionView, { past, lines }: Past): void {
    for (const event of past) this.#transcript = applyToTranscript(this.#transcript, event);
    this.#printer.skipTo(this.#transcript, lines);
    this.#printer.show(this.#transcript);
    for (const question of view.permissions) this.#ask(question);
  }

  hear(event: RemoteEvent): void {
    const { sink, style } = this.#options;
    if (event.type === 'subscriber.lagged')
      sink.line(style.red(`! ${event.missed} events were missed: this reader was too slow.`));
    if (!('epoch' in event)) return;
    this.#transcript = applyToTranscript(this.#transcript, event);
    this.#printer.show(this.#transcript);
    if (event.type === 'permission.requested') this.#ask(permissionOf(event));
    if (event.type === 'permission.settled') {
      const name = this.#asked.get(event.requestId)?.toolName ?? event.kind;
      this.#asked.delete(event.requestId);
      sink.line(style.dim(`· ${plainLine(name)}: ${event.outcome} by ${plainLine(event.by)}`));
    }
  }

  farewell(view: SessionView): string {
    const { style } = this.#options;
    const { ended } = view;
    return ended === undefined
      ? style.dim(`Detached: ${view.id} goes on. troupe attach ${view.id} comes back.`)
      : style.dim(`${view.id} has ended: ${ended.cause.message}`);
  }

  #ask(question: PermissionView): void {
    if (this.#asked.has(question.id)) return;
    const { sink, style, columns, most } = this.#options;
    this.#asked.set(question.id, question);
    for (const line of questionCard(question, { style, columns: columns(), most })) sink.line(line);
  }
}
