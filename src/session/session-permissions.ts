import { TroupeError } from '../errors.ts';
import type { PermissionAnswer, PermissionDesk } from '../permissions/permission-desk.ts';
import type { PermissionRequest } from '../permissions/permission-request.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { EventLog } from '../store/event-log.ts';
import { AnswerCall, parseCall } from './call-options.ts';
import { handedOver, unkeptBecause } from './handed-over.ts';
import type { SessionLife } from './session-life.ts';

interface PermissionParts {
  readonly desk: PermissionDesk;
  readonly life: SessionLife;
  readonly log: EventLog;
  readonly redaction: Redaction;
}

/** The permission requests of one session. */
export class SessionPermissions {
  readonly #now: () => PermissionParts;

  /** `now`: the desk and the life of the session, which are others once it was taken over. */
  constructor(now: () => PermissionParts) {
    this.#now = now;
  }

  /** The open requests, oldest first. */
  pending(): PermissionRequest[] {
    return this.#now().desk.pending();
  }

  /**
   * An open request, or one of the last settled ones; undefined when it is unknown. An open one is shown as it was asked, to
   * whoever decides; a settled one without secrets (P11).
   */
  get(id: string): PermissionRequest | undefined {
    const { desk, redaction } = this.#now();
    const request = desk.get(id);
    return request?.settlement === undefined ? request : redaction.value(request);
  }

  /**
   * Answers an open request with a result of its kind: a `PermissionResult`, an `ElicitationResult` or a `UserDialogResult`.
   * Resolves when the CLI's pipe took the answer. Where its host was lost and no process has asked again yet, the answer lies
   * ready: resolves when the log tells it. Rejects with INVALID_ANSWER, PERMISSION_NOT_FOUND, PERMISSION_SETTLED (its details
   * name who was first), CLI_INPUT_CLOSED, HANDED_OVER, or the STORE_* reason where the store that was to keep it takes it no more, such as
   * STORE_TAKEN_OVER.
   */
  async answer(id: string, answer: PermissionAnswer, options: { by?: string } = {}): Promise<void> {
    const { by = 'api' } = parseCall(AnswerCall, options, 'options');
    const { desk, life, log } = this.#now();
    if (log.isSealed) throw handedOver({ id });
    const askedAs = desk.askedAs(id);
    const written = askedAs === undefined ? undefined : life.incarnation?.channel.answerWritten(askedAs);
    desk.answer(id, answer, by);
    if (askedAs === undefined) return told(log, id);
    if ((await written) === true) return;
    // Its settlement is not in the store, or its process was ended for the handover: the next host asks, and is answered.
    throw log.isSealed ? handedOver({ id }) : new TroupeError('CLI_INPUT_CLOSED', { details: { id } });
  }
}

/** A crash of the host could take back what is not told yet, and nobody else knows of the answer: no process has heard it. */
function told(log: EventLog, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    log.whenPublished(resolve, () => reject(unkeptBecause(log, { id })));
  });
}
