import type { Session } from '../../session/session.ts';
import { isRecord, parseRecord } from '../../wire/fields.ts';

/** Does with a session what the host of a recording did, as far as a line of it tells. What the session refuses is left out. */
export class SessionHands {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  say(line: Buffer): void {
    const value = parseRecord(line.toString());
    if (value === undefined) return;
    if (value['type'] === 'user') this.#prompt(value);
    else if (value['type'] === 'control_request' && isRecord(value['request'])) this.#ask(value['request']);
    else if (value['type'] === 'control_response' && isRecord(value['response'])) this.#answer(value['response']);
  }

  #prompt({ message, uuid }: Record<string, unknown>): void {
    const content = isRecord(message) ? message['content'] : undefined;
    if (typeof content !== 'string' && !Array.isArray(content)) return;
    const isBusy = this.#session.status !== 'idle';
    this.#attempt(async () => {
      const id = typeof uuid === 'string' ? { id: uuid } : {};
      const turn = this.#session.prompt(content, { ...id, onBusy: isBusy ? 'steer' : 'enqueue' });
      turn.result.catch(() => {});
      await turn.accepted;
    });
  }

  #ask(request: Record<string, unknown>): void {
    const { subtype, ...payload } = request;
    const session = this.#session;
    this.#attempt(async () => {
      if (subtype === 'interrupt') await session.interrupt({ cancelQueued: payload['cancel_queued'] === true });
      else if (subtype === 'set_model') await session.setModel(textOf(payload['model']));
      else if (subtype === 'set_permission_mode') await session.setPermissionMode(textOf(payload['mode']) ?? 'default');
      else if (typeof subtype === 'string' && subtype !== 'initialize') await session.control(subtype, payload);
    });
  }

  #answer({ request_id: id, subtype, response }: Record<string, unknown>): void {
    const { permissions } = this.#session;
    if (typeof id !== 'string' || permissions.get(id) === undefined) return;
    this.#attempt(async () => {
      if (subtype === 'success' && isAnswer(response)) await permissions.answer(id, response, { by: 'recording' });
    });
  }

  #attempt(work: () => Promise<unknown>): void {
    void (async () => {
      try {
        await work();
      } catch {
        // What a session refuses was sent on purpose, to see what the CLI makes of it.
      }
    })();
  }
}

type Answer = Parameters<Session['permissions']['answer']>[1];

/** The desk itself checks it. */
function isAnswer(response: unknown): response is Answer {
  return isRecord(response);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
