import type { Match, Rule } from './scenario.ts';

/** Something a rule may wait for. */
export type Happening =
  | { readonly kind: 'start' | 'initialize' | 'cancel' | 'eof' }
  | { readonly kind: 'prompt'; readonly text: string; readonly isBare: boolean }
  | { readonly kind: 'control'; readonly subtype: string }
  | { readonly kind: 'response'; readonly to: string; readonly behavior: string | undefined }
  | { readonly kind: 'signal'; readonly name: string };

/** A rule and where it stands in the scenario, as in `rules[2]`. */
export type PlacedRule = Rule & { readonly place: string };

/** The rules of a scenario with their counters. */
export class Rules {
  readonly #rules: readonly PlacedRule[];
  readonly #counts: number[];

  constructor(rules: readonly Rule[], origin = '') {
    this.#rules = rules.map((rule, index) => ({ ...rule, place: `${origin}rules[${index}]` }));
    this.#counts = rules.map(() => 0);
  }

  /** The first rule that fits; every rule that fits but for `nth` counts the happening. */
  find(happening: Happening): PlacedRule | undefined {
    let found: PlacedRule | undefined;
    this.#rules.forEach((rule, index) => {
      if (!fits(rule.on, happening)) return;
      const count = (this.#counts[index] ?? 0) + 1;
      this.#counts[index] = count;
      const nth = 'nth' in rule.on ? rule.on.nth : undefined;
      if (nth === undefined || nth === count) found ??= rule;
    });
    return found;
  }
}

function fits(match: Match, happening: Happening): boolean {
  if (match.kind === 'prompt' && happening.kind === 'prompt') {
    const { text } = happening;
    return (
      (match.bare ?? false) === happening.isBare &&
      (match.equals === undefined || match.equals === text) &&
      (match.contains === undefined || text.includes(match.contains)) &&
      (match.pattern === undefined || new RegExp(match.pattern, 'u').test(text))
    );
  }
  if (match.kind === 'control' && happening.kind === 'control') {
    return match.subtype === undefined || match.subtype === happening.subtype;
  }
  if (match.kind === 'response' && happening.kind === 'response') {
    return match.to === happening.to && (match.behavior === undefined || match.behavior === happening.behavior);
  }
  if (match.kind === 'signal' && happening.kind === 'signal') return match.name === happening.name;
  return match.kind === happening.kind;
}
