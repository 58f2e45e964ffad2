import type { PermissionView } from '../view/session-view.ts';
import { globalIdOf } from '../view/summary.ts';
import type { Http } from './http.ts';

/** An answer to a question: of a tool, of an MCP server, or of a dialog. */
export type RemoteAnswer =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly updatedPermissions?: readonly unknown[];
    }
  | { readonly behavior: 'deny'; readonly message?: string; readonly interrupt?: boolean }
  | Readonly<Record<string, unknown>>;

/** The questions of one session. */
export class RemotePermissions {
  readonly #sessionId: string;
  readonly #http: Http;
  readonly #open: () => readonly PermissionView[];

  constructor(sessionId: string, http: Http, open: () => readonly PermissionView[]) {
    this.#sessionId = sessionId;
    this.#http = http;
    this.#open = open;
  }

  /** Those that are open, as far as the session is followed. */
  pending(): readonly PermissionView[] {
    return this.#open();
  }

  /** Rejects with PERMISSION_SETTLED, whose details name who was first, INVALID_ANSWER or PERMISSION_NOT_FOUND. */
  async answer(id: string, answer: RemoteAnswer): Promise<void> {
    await answerPermission(this.#http, globalIdOf(this.#sessionId, id), answer);
  }
}

/** `globalId`: of a question of any session. */
export async function answerPermission(http: Http, globalId: string, answer: RemoteAnswer): Promise<void> {
  await http.ask(`/v1/permissions/${encodeURIComponent(globalId)}`, { method: 'POST', body: answer });
}
