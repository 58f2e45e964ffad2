import { isRecord, stringOf } from '../../wire/fields.ts';

interface Open {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What is asked of the host on behalf of a process: permissions, hooks, servers of this program. */
export class HostQuestions {
  readonly #say: (frame: Record<string, unknown>) => void;
  readonly #open = new Map<string, Open>();
  #count = 0;
  #closedBecause: string | undefined;

  constructor(say: (frame: Record<string, unknown>) => void) {
    this.#say = say;
  }

  /** Resolves with the payload of the answer; rejects when the host refuses, and when nobody waits for it any more. */
  ask(request: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (this.#closedBecause !== undefined) return Promise.reject(new Error(this.#closedBecause));
    this.#count += 1;
    const id = `print-${this.#count}`;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#say({ type: 'control_request', request_id: id, request });
    });
  }

  /** Takes a `control_response` of the host. */
  take({ response }: Readonly<Record<string, unknown>>): void {
    const answer = isRecord(response) ? response : {};
    const id = stringOf(answer['request_id']) ?? '';
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (answer['subtype'] === 'error') open?.reject(new Error(stringOf(answer['error']) ?? 'The host refused.'));
    else open?.resolve(answer['response']);
  }

  /** Whoever asked is gone. */
  cancelAll(): void {
    for (const [id, { reject }] of this.#open) {
      this.#say({ type: 'control_cancel_request', request_id: id });
      reject(new Error('The process that asked is gone.'));
    }
    this.#open.clear();
  }

  close(reason: string): void {
    this.#closedBecause = reason;
    for (const { reject } of this.#open.values()) reject(new Error(reason));
    this.#open.clear();
  }
}
