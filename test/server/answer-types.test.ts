import { describe, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { SessionAnswer, SummaryAnswer } from '../../src/api/session-answers.ts';
import type { SessionSummary } from '../../src/view/fleet-view.ts';
import type { SessionView } from '../../src/view/session-view.ts';

describe('what the OpenAPI document says of a session', () => {
  it('is the view that clients fold, field by field (P7)', () => {
    expectTypeOf<z.infer<typeof SessionAnswer>>().toExtend<SessionView>();
    expectTypeOf<SessionView>().toExtend<ReadonlyDeep<z.infer<typeof SessionAnswer>>>();
    expectTypeOf<keyof SessionView>().toEqualTypeOf<keyof z.infer<typeof SessionAnswer>>();
  });

  it('is the line of a list, too', () => {
    expectTypeOf<z.infer<typeof SummaryAnswer>>().toExtend<SessionSummary>();
    expectTypeOf<SessionSummary>().toExtend<ReadonlyDeep<z.infer<typeof SummaryAnswer>>>();
    expectTypeOf<keyof SessionSummary>().toEqualTypeOf<keyof z.infer<typeof SummaryAnswer>>();
  });
});

type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;
