import type { Finding } from './comparison.ts';
import type { MissingAnchor } from './observation.ts';

/** What a drift check found. */
export interface DriftReport {
  readonly cli: { readonly path: string; readonly version: string };
  /** Of which release the baseline is, and where. */
  readonly baseline: { readonly cli: string; readonly path: string };
  /** The scenes that were played to their end. */
  readonly scenes: readonly string[];
  readonly findings: readonly Finding[];
  /** What the script needed and did not find: such a scene is not compared. */
  readonly missingAnchors: readonly MissingAnchor[];
}

/** For people: a line per difference, with the scenes that show it. */
export function reportText({ cli, baseline, scenes, findings, missingAnchors }: DriftReport): string {
  const lines = [
    `claude ${cli.version} (${cli.path}), compared with ${baseline.cli} in ${counted(scenes.length, 'scene')}`,
    ...missingAnchors.map(({ scene, anchor, reason }) => `  ${scene}: no anchor "${anchor}" (${reason})`),
  ];
  const scenesOf = new Map<string, string[]>();
  for (const finding of findings) {
    const line = lineOf(finding);
    scenesOf.set(line, [...(scenesOf.get(line) ?? []), finding.scene]);
  }
  for (const [line, names] of scenesOf) lines.push(`  ${line}   (${names.join(', ')})`);
  lines.push(verdict(findings.length, missingAnchors.length));
  return `${lines.join('\n')}\n`;
}

function lineOf({ change, what, message = '', field, was, is }: Finding): string {
  const place = field === undefined ? message : `${message} › ${field}`;
  const facts = [was === undefined ? undefined : `was ${was}`, is === undefined ? undefined : `is ${is}`];
  const told = facts.filter((fact) => fact !== undefined).join(', ');
  return `${change} ${what}: ${place}${told === '' ? '' : `: ${told}`}`;
}

function verdict(findings: number, missing: number): string {
  if (missing > 0) return `${counted(missing, 'anchor')} not found: the script could not be played to its end.`;
  return findings === 0 ? 'No drift.' : `${counted(findings, 'difference')}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
