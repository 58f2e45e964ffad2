import type { Unit } from '../../machines/budget/amounts.ts';
import type { Block, Scope } from '../../machines/budget/ledger.ts';

/** One sentence: what is used up, and what ends it. */
export function blockNote({ scope, unit, spent, limit, isTaken }: Block): string {
  const whose = scopeWords(scope);
  const of = `${amountWords(unit, limit)} for ${whose}`;
  if (isTaken)
    return `Turns that run have taken what is left of the budget of ${of}; it goes on when one of them does not count.`;
  const way = scope.kind === 'day' ? `the next day or ${raiseWords(scope)}` : raiseWords(scope);
  return `The budget of ${of} is spent (${amountWords(unit, spent)}); it goes on after ${way}.`;
}

export function scopeWords({ kind, name }: Scope): string {
  switch (kind) {
    case 'total':
      return 'all sessions';
    case 'day':
      return `the day ${name}`;
    default:
      return `the ${kind} "${name}"`;
  }
}

function raiseWords({ kind, name }: Scope): string {
  if (kind === 'total' || kind === 'day') return `supervisor.raiseBudget('${kind}', …)`;
  return `supervisor.raiseBudget({ ${kind}: ${JSON.stringify(name)} }, …)`;
}

function amountWords(unit: Unit, amount: number): string {
  return unit === 'usd' ? `${amount} USD` : `${amount} ${unit}`;
}
