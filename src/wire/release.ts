const RELEASE = /^(\d+)\.(\d+)\.(\d+)/;

/** True when a version text names this release or a newer one; false for what is no version. */
export function isRelease(version: string, wanted: string): boolean {
  const [parts, least] = [partsOf(version), partsOf(wanted)];
  if (parts === undefined || least === undefined) return false;
  const differing = parts.findIndex((part, index) => part !== least[index]);
  return differing === -1 || (parts[differing] ?? 0) > (least[differing] ?? 0);
}

function partsOf(version: string): number[] | undefined {
  return RELEASE.exec(version)?.slice(1).map(Number);
}
