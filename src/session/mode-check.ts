/** The mode that was asked for must be the mode that rules; once per process, because turns may change it (R93). */
export class ModeCheck {
  readonly #expected: () => string;
  #isChecked = false;

  constructor(expected: () => string) {
    this.#expected = expected;
  }

  /** A new process begins. */
  forget(): void {
    this.#isChecked = false;
  }

  /** What is wrong with the mode that the CLI told; undefined when nothing is. */
  check(mode: string | undefined): string | undefined {
    if (this.#isChecked || mode === undefined) return undefined;
    this.#isChecked = true;
    const expected = this.#expected();
    return mode === expected ? undefined : `asked for "${expected}", the CLI runs in "${mode}"`;
  }
}
