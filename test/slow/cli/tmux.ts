import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));

const run = promisify(execFile);

/** tmux tells nobody what it draws: between two looks. */
const LOOK_MS = 50;
/** A machine that does much else is slow. */
const PATIENCE_MS = 60_000;

/** The command on a real terminal, with a person in front of it. */
export interface Pane {
  /** What is on the screen, without the blanks at the ends of lines and of the screen. */
  screen(): Promise<string[]>;
  /** Resolves with the screen as soon as it shows this. */
  shows(what: string | RegExp): Promise<string[]>;
  /** Types text as it is. */
  types(text: string): Promise<void>;
  /** Presses keys by the names that tmux has for them. */
  presses(...keys: string[]): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** What programs called their window. */
  title(): Promise<string>;
}

/** Starts the built command in a terminal of tmux; behind its end the screen says `[exit <code>]`. It is gone after the test. */
export async function troupeInTmux(
  args: readonly string[],
  { env, columns = 90, rows = 30 }: { env: Record<string, string>; columns?: number; rows?: number },
): Promise<Pane> {
  if (spawnSync('tmux', ['-V'], { env }).error !== undefined) throw new Error('These tests need tmux.');
  const socket = `troupe-${randomUUID()}`;
  const tmux = async (...words: string[]) =>
    (await run('tmux', ['-u', '-L', socket, '-f', '/dev/null', ...words], { env: { ...env, LC_ALL: 'C.UTF-8' } }))
      .stdout;
  onTestFinished(async () => void (await tmux('kill-server').catch(() => {})));
  const shell = ['sh', '-c', '"$@"; printf "[exit %d]" "$?"; exec sleep 600', 'sh'];
  await tmux(
    'new-session',
    '-d',
    '-s',
    'pane',
    '-x',
    String(columns),
    '-y',
    String(rows),
    ...shell,
    process.execPath,
    MAIN,
    ...args,
  );
  const screen = async () => {
    const text = await tmux('capture-pane', '-p', '-t', 'pane');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd());
  };
  return {
    screen,
    async shows(what) {
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        const lines = await screen();
        const text = lines.join('\n');
        if (typeof what === 'string' ? text.includes(what) : what.test(text)) return lines;
        if (performance.now() > until) throw new Error(`The screen does not show ${String(what)}:\n${text}`);
        await pause(LOOK_MS);
      }
    },
    types: async (text) => void (await tmux('send-keys', '-t', 'pane', '-l', text)),
    presses: async (...keys) => void (await tmux('send-keys', '-t', 'pane', ...keys)),
    resize: async (width, height) =>
      void (await tmux('resize-window', '-t', 'pane', '-x', String(width), '-y', String(height))),
    title: async () => (await tmux('display-message', '-p', '-t', 'pane', '#{pane_title}')).trim(),
  };
}
