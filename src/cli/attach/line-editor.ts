import type { Key } from '../terminal/keys.ts';
import { plainLine } from '../terminal/plain-text.ts';

/** What a key did to a line that is typed. */
export type Typed = { readonly what: 'typing' | 'cancelled' } | { readonly what: 'entered'; readonly text: string };

/** One line that a person types below the text that goes on. */
export class LineEditor {
  readonly label: string;
  #text = '';

  constructor(label: string) {
    this.label = label;
  }

  get text(): string {
    return this.#text;
  }

  take({ name, text, isCtrl }: Key): Typed {
    if (name === 'return' || name === 'enter') return { what: 'entered', text: this.#text };
    if (name === 'escape' || (isCtrl && (name === 'c' || name === 'd'))) return { what: 'cancelled' };
    if (name === 'backspace') this.#text = [...this.#text].slice(0, -1).join('');
    else if (isCtrl && name === 'u') this.#text = '';
    else if (!isCtrl && text !== '' && plainLine(text) === text) this.#text += text;
    return { what: 'typing' };
  }
}
