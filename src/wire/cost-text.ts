/** US dollars as people read them, to a hundredth of a cent: `$0.0234`. What is not known is `unknown`, never `$0`. */
export function formatCost(usd: number | undefined): string {
  if (usd === undefined || !Number.isFinite(usd) || usd < 0) return 'unknown';
  if (usd > 0 && usd < 0.00005) return '<$0.0001';
  return `$${usd.toFixed(4)}`;
}
