import type { Style } from '../terminal/style.ts';

/** What was looked at, what was found, and what to do about it. */
export interface Finding {
  /** A stable name, for programs. */
  readonly check: string;
  /** `warning`: it works, or may; `problem`: something does not. */
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** Where the status is not `ok`. */
  readonly remedy?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warning(check: string, message: string, remedy: string): Finding {
  return { check, status: 'warning', message, remedy };
}

export function problem(check: string, message: string, remedy: string): Finding {
  return { check, status: 'problem', message, remedy };
}

/** The finding for people. */
export function findingText({ check, status, message, remedy }: Finding, style: Style): string {
  const sign = { ok: style.green('✓'), warning: style.yellow('!'), problem: style.red('✗') }[status];
  const line = `${sign} ${style.bold(check.padEnd(10))} ${style.text(message)}`;
  return remedy === undefined ? line : `${line}\n             ${style.dim(`→ ${remedy}`)}`;
}
