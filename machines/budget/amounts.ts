/** What can be bounded: US dollars, tokens, turns. */
export const UNITS = ['usd', 'tokens', 'turns'] as const;
export type Unit = (typeof UNITS)[number];

export type Amounts = Readonly<Record<Unit, number>>;
/** Of the units that are bounded. */
export type Limits = Readonly<Partial<Record<Unit, number>>>;

export const NOTHING: Amounts = { usd: 0, tokens: 0, turns: 0 };

/** Prices are sums of tiny fractions: without rounding, ten times ten cents would stay below one dollar. */
const NANO = 1e9;

export function plus(left: Amounts, right: Limits): Amounts {
  return {
    usd: Math.round((left.usd + (right.usd ?? 0)) * NANO) / NANO,
    tokens: left.tokens + (right.tokens ?? 0),
    turns: left.turns + (right.turns ?? 0),
  };
}

export function minus(left: Amounts, right: Limits): Amounts {
  return plus(left, { usd: -(right.usd ?? 0), tokens: -(right.tokens ?? 0), turns: -(right.turns ?? 0) });
}

/** The units that have a limit, with it. */
export function limitsOf(limits: Limits): (readonly [Unit, number])[] {
  return UNITS.flatMap((unit) => {
    const limit = limits[unit];
    return limit === undefined ? [] : [[unit, limit] as const];
  });
}
