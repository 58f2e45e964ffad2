/** One line of `--json`. What it holds is documented in docs/terminal.md. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
