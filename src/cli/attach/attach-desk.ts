import type { RemoteSession } from '../../client/remote-session.ts';
import { TroupeError } from '../../errors.ts';
import { answeredInput, askedQuestions } from '../../view/asked-questions.ts';
import type { PermissionView } from '../../view/session-view.ts';
import { questionCard } from '../fleet/question-card.ts';
import type { Key } from '../terminal/keys.ts';
import type { LineSink } from '../terminal/live-lines.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Style } from '../terminal/style.ts';
import { LineEditor } from './line-editor.ts';

export interface DeskOptions {
  readonly session: RemoteSession;
  readonly sink: LineSink;
  readonly style: Style;
  readonly columns: () => number;
  /** The rows below are to be drawn anew. */
  readonly changed: () => void;
  readonly detach: () => void;
}

/** What the keys do. The oldest open question is the one that is answered. */
export class AttachDesk {
  readonly #options: DeskOptions;
  #editor: LineEditor | undefined;
  #entered: (text: string) => void = () => {};
  /** Answered here, and not yet told by the server: a second stroke of a key answers no other question. */
  readonly #sent = new Set<string>();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  get editor(): LineEditor | undefined {
    return this.#editor;
  }

  press(key: Key): void {
    if (this.#editor !== undefined) this.#type(this.#editor, key);
    else this.#command(key);
    this.#options.changed();
  }

  #type(editor: LineEditor, key: Key): void {
    const typed = editor.take(key);
    if (typed.what === 'typing') return;
    this.#editor = undefined;
    if (typed.what === 'entered' && typed.text.trim() !== '') this.#entered(typed.text);
  }

  #edit(label: string, entered: (text: string) => void): void {
    this.#editor = new LineEditor(label);
    this.#entered = entered;
  }

  #command({ text, name, isCtrl }: Key): void {
    const { session, detach } = this.#options;
    const question = session.permissions.pending().find(({ id }) => !this.#sent.has(id));
    if (isCtrl) {
      if (name === 'c' || name === 'd') detach();
    } else if (text === 'q') detach();
    else if (text === 'i') this.#attempt('Interrupted.', session.interrupt());
    else if (text === 's') this.#edit('steer', (said) => this.#attempt(undefined, session.steer(said).accepted));
    else if (text === 'p') this.#edit('prompt', (said) => this.#attempt(undefined, session.prompt(said).accepted));
    else if (question !== undefined) this.#answerBy(text, question);
  }

  #answerBy(text: string, question: PermissionView): void {
    if (text === 'v') this.#view(question);
    else if (question.kind !== 'tool') {
      const answer = question.kind === 'dialog' ? { behavior: 'cancelled' } : { action: 'decline' };
      if (text === 'n') this.#answer(question, answer);
    } else if (text === 'n') this.#answer(question, { behavior: 'deny' });
    else if (text === 'N')
      this.#edit('deny because', (message) => this.#answer(question, { behavior: 'deny', message }));
    else if (question.toolName === 'AskUserQuestion') this.#choose(text, question);
    else this.#allowBy(text, question);
  }

  #allowBy(text: string, question: PermissionView): void {
    const remembers = question.suppressAlwaysAllowRule !== true && question.requiresUserInteraction !== true;
    const scope = { a: 'session', A: 'always' }[text];
    if (text === 'y') this.#allow(question);
    else if (remembers && scope !== undefined) this.#answer(question, { behavior: 'allow', scope });
  }

  /** No single stray key allows what is marked as dangerous. */
  #allow(question: PermissionView): void {
    if (question.defaultToNo !== true) this.#answer(question, { behavior: 'allow' });
    else
      this.#edit('type yes to allow it', (said) => {
        if (said.trim().toLowerCase() === 'yes') this.#answer(question, { behavior: 'allow' });
      });
  }

  /** One question with one choice; more of them are answered on the page, or by `troupe approve --input`. */
  #choose(text: string, question: PermissionView): void {
    const questions = askedQuestions(question.toolName, question.input);
    const [only, ...others] = questions;
    const option = only?.options[Number(text) - 1];
    if (only === undefined || others.length > 0 || option === undefined) return;
    const choices = { [only.question]: { labels: [option.label], other: '' } };
    const updatedInput = answeredInput(question.input, questions, choices);
    if (updatedInput !== undefined) this.#answer(question, { behavior: 'allow', updatedInput });
  }

  #view(question: PermissionView): void {
    const { sink, style, columns } = this.#options;
    for (const line of questionCard(question, { style, columns: columns() })) sink.line(line);
  }

  #answer(question: PermissionView, answer: Readonly<Record<string, unknown>>): void {
    this.#sent.add(question.id);
    const answered = this.#options.session.permissions.answer(question.id, answer);
    // What could not be told may be tried again.
    answered.catch(() => this.#sent.delete(question.id));
    this.#attempt(undefined, answered);
  }

  #attempt(done: string | undefined, work: Promise<unknown>): void {
    const { sink, style, changed } = this.#options;
    const tell = (line: string | undefined) => {
      if (line !== undefined) sink.line(line);
      changed();
    };
    work.then(
      () => tell(done === undefined ? undefined : style.dim(`· ${done}`)),
      (error: unknown) => tell(style.red(`! ${refusalOf(error)}`)),
    );
  }
}

function refusalOf(error: unknown): string {
  const told = error instanceof Error ? error.message : String(error);
  return plainLine(TroupeError.is(error) ? `${told} (${error.code})` : told);
}
