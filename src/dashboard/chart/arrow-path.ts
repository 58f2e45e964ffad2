import type { Point } from './chart.ts';

/** The points of an arrow as a path whose corners are round. */
export function arrowPath(points: readonly Point[], radius = 6): string {
  const [start, ...rest] = points;
  if (start === undefined) return '';
  const parts = [`M${start[0]} ${start[1]}`];
  for (const [index, corner] of rest.entries()) {
    const before = points[index] ?? corner;
    const after = rest[index + 1];
    if (after === undefined) {
      parts.push(`L${corner[0]} ${corner[1]}`);
      continue;
    }
    const near = towards(corner, before, radius);
    const far = towards(corner, after, radius);
    parts.push(`L${near[0]} ${near[1]}`, `Q${corner[0]} ${corner[1]} ${far[0]} ${far[1]}`);
  }
  return parts.join('');
}

/** A point on the way from a corner to another point, at most halfway. */
function towards(corner: Point, other: Point, distance: number): Point {
  const [dx, dy] = [other[0] - corner[0], other[1] - corner[1]];
  const length = Math.hypot(dx, dy);
  if (length === 0) return corner;
  const share = Math.min(distance, length / 2) / length;
  return [round(corner[0] + dx * share), round(corner[1] + dy * share)];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
