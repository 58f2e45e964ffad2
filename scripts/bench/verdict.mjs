/** What a check found. `measured` is what its limit is about: a quotient, a difference or the figure itself. */
export function judged(check, figures) {
  const figureOf = ({ adapter = 'troupe', case: name = check.case, figure = check.figure }) =>
    figures[name]?.[adapter]?.[figure];
  const own = figureOf({});
  const measured = comparison(own, check, figureOf);
  return { check, own, measured, verdict: verdictOf(measured, check.atMost) };
}

function comparison(own, { of, above }, figureOf) {
  if (of !== undefined) return own / figureOf(of);
  return above === undefined ? own : own - figureOf(above);
}

function verdictOf(measured, atMost) {
  if (measured === undefined || Number.isNaN(measured)) return 'not measured';
  if (atMost === undefined) return 'told';
  return measured <= atMost ? 'met' : 'missed';
}

/** 0: every target is met. 1: one is missed. 2: something could not be measured, so that nobody knows. */
export function exitCodeOf(judgements) {
  const verdicts = judgements.map(({ verdict }) => verdict);
  if (verdicts.length === 0 || verdicts.includes('not measured')) return 2;
  return verdicts.includes('missed') ? 1 : 0;
}

/** One figure of several rounds. Work that others do on the machine only ever adds: `low` is the lower quartile. */
export function picked(values, pick = 'median') {
  const sorted = values.filter((value) => typeof value === 'number').toSorted((one, other) => one - other);
  const share = { median: 0.5, low: 0.25, least: 0 }[pick];
  return sorted[Math.floor((sorted.length - 1) * share)];
}
