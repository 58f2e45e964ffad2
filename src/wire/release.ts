/** True when a version text names this release or a newer one; false for what is no version. */
export function isRelease(version: string, wanted: readonly [number, number, number]): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (parts === undefined) return false;
  const differing = parts.findIndex((part, index) => part !== wanted[index]);
  return differing === -1 || (parts[differing] ?? 0) > (wanted[differing] ?? 0);
}
