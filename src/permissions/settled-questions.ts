import type { Settlement } from '../../machines/permission/permission.events.ts';
import { TroupeError } from '../errors.ts';
import { LatestMap } from '../sparse.ts';
import type { KeptQuestion } from './permission-record.ts';
import type { PermissionRequest } from './permission-request.ts';

export interface SettledQuestion {
  readonly request: PermissionRequest;
  /** Known for one of a former host, whose text may be less than what was asked. */
  readonly digest: string | undefined;
  readonly deadlineMs: number;
  /** Epoch milliseconds. */
  readonly settledAt: number;
}

/** The questions that were settled last, for whoever comes late. */
export class SettledQuestions {
  readonly #byId: LatestMap<string, SettledQuestion>;

  constructor(max: number) {
    this.#byId = new LatestMap(max);
  }

  ids(): string[] {
    return [...this.#byId.keys()];
  }

  get(id: string): SettledQuestion | undefined {
    return this.#byId.get(id);
  }

  keep(settled: SettledQuestion): void {
    this.#byId.set(settled.request.id, settled);
  }

  restore({ request, digest, expiresAt, settledAt = request.askedAt }: KeptQuestion): void {
    const deadlineMs = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - request.askedAt;
    this.keep({ request, digest, deadlineMs, settledAt });
  }

  /** Why a question that is not open takes no answer: it names who was first. */
  refusal(id: string): TroupeError {
    const settlement = this.#byId.get(id)?.request.settlement;
    return settlement === undefined
      ? new TroupeError('PERMISSION_NOT_FOUND', { details: { id } })
      : settledBefore(id, settlement);
  }
}

/** Somebody was first: PERMISSION_SETTLED names who. */
export function settledBefore(id: string, { outcome, by }: Settlement): TroupeError {
  return new TroupeError('PERMISSION_SETTLED', { reason: `It was ${outcome} by ${by}.`, details: { id, outcome, by } });
}
