import { emitKeypressEvents } from 'node:readline';
import type { ReadStream } from 'node:tty';

/** One key: its name where it has one (`return`, `backspace`, `c` with ctrl), and the text it stands for. */
export interface Key {
  readonly name: string;
  readonly text: string;
  readonly isCtrl: boolean;
}

/** Hears every key as it is pressed, until it is stopped; the terminal then echoes and gathers lines again. */
export function onKeys(input: ReadStream, hear: (key: Key) => void): () => void {
  const tell = (text: string | undefined, key: { name?: string; ctrl?: boolean; meta?: boolean }) => {
    if (key.meta === true && key.name !== 'escape') return;
    hear({ name: key.name ?? text ?? '', text: text ?? '', isCtrl: key.ctrl === true });
  };
  const restore = () => void input.setRawMode(false);
  emitKeypressEvents(input);
  input.setRawMode(true);
  input.on('keypress', tell);
  input.resume();
  process.once('exit', restore);
  return () => {
    process.off('exit', restore);
    input.off('keypress', tell);
    input.setRawMode(false);
    input.pause();
  };
}
