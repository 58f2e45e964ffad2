import { z } from 'zod';

/** What a client knows of a session at `seq`: the type `SessionView`. */
export const SessionAnswer = z
  .looseObject({
    id: z.string(),
    key: z.string().optional(),
    seq: z.int(),
    epoch: z.int(),
    state: z.string(),
    status: z.enum(['idle', 'running', 'requires_action']),
  })
  .meta({ id: 'SessionView' });

/** One line of the fleet: the type `SessionSummary`. */
export const SummaryAnswer = z
  .looseObject({
    id: z.string(),
    key: z.string().optional(),
    state: z.string(),
    status: z.enum(['idle', 'running', 'requires_action']),
  })
  .meta({ id: 'SessionSummary' });

export const SessionPage = z.strictObject({
  sessions: z.array(SummaryAnswer),
  /** Where the next page begins; not there on the last one. */
  next: z.string().optional(),
});

/** As JSON the library shows it. */
export const Facts = z.looseObject({});

/** One event of a log. */
export const EventAnswer = z
  .looseObject({ type: z.string(), seq: z.int().optional(), epoch: z.int().optional(), at: z.number().optional() })
  .meta({ id: 'SessionEvent' });
