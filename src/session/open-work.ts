import type { OpenWaits } from '../../machines/watchdog/watchdog.events.ts';
import type { Frame } from '../wire/frame-class.ts';

/** This many open calls are followed; a CLI that opens more closes none. */
const MAX_CALLS = 1_000;

type Asked = 'human' | 'hook' | 'mcp';

/** What a turn waits for: calls by the frames that open and close them, and the questions that are being answered here. */
export class OpenWork {
  /** Open calls of tools, and under which call of an agent each was made. */
  readonly #tools = new Map<string, string | undefined>();
  /** Calls whose agent has spoken: they are worked on by a model. */
  readonly #agents = new Set<string>();
  readonly #hooks = new Set<string>();
  readonly #asked: Record<Asked, number> = { human: 0, hook: 0, mcp: 0 };

  /** Takes note of a frame. False when it belongs to no open turn: an agent speaks whose call has ended. */
  take({ parent, opens, closes }: Frame): boolean {
    if (parent !== undefined) {
      if (!this.#tools.has(parent)) return false;
      this.#agents.add(parent);
    }
    for (const { kind, id } of opens) this.#open(kind, id, parent);
    for (const { kind, id } of closes) this.#close(kind, id);
    return true;
  }

  asked(kind: Asked, change: 1 | -1): void {
    this.#asked[kind] += change;
  }

  /** The call that a question was about will not run: from now on nothing is waited for but the CLI. */
  refused({ tool_use_id: id }: Readonly<Record<string, unknown>>): void {
    if (typeof id === 'string') this.#close('tool', id);
  }

  /** No turn is open: whatever was called is over, or goes on beside the turns. */
  turnEnded(): void {
    this.#tools.clear();
    this.#agents.clear();
    this.#hooks.clear();
  }

  counts(): OpenWaits {
    const { human, hook, mcp } = this.#asked;
    return { human, hook: hook + this.#hooks.size, mcp, tool: this.#tools.size - this.#agents.size };
  }

  #open(kind: 'tool' | 'hook', id: string, parent: string | undefined): void {
    if (kind === 'hook') {
      if (this.#hooks.size < MAX_CALLS) this.#hooks.add(id);
    } else if (this.#tools.size < MAX_CALLS) {
      this.#tools.set(id, parent);
    }
  }

  /** With the call of an agent end the calls it made. */
  #close(kind: 'tool' | 'hook', id: string): void {
    if (kind === 'hook') this.#hooks.delete(id);
    if (kind === 'hook' || !this.#tools.delete(id)) return;
    this.#agents.delete(id);
    for (const [child, parent] of [...this.#tools]) if (parent === id) this.#close('tool', child);
  }
}
