import type { Shape } from './line-shape.ts';

/** One line of the CLI, or its exit, as it is compared. */
export interface SeenLine {
  readonly kind: string;
  readonly value: unknown;
}

/** What one run of a scene showed: kinds in the order of their first line. */
export interface SceneRun {
  readonly kinds: ReadonlyMap<string, { readonly times: number; readonly shape: Shape }>;
}

/** Something the script needed and did not find. */
export interface MissingAnchor {
  readonly scene: string;
  readonly anchor: string;
  /** What ended the wait, and what was heard last. */
  readonly reason: string;
}

/** One run of all scenes. */
export interface Observation {
  readonly scenes: ReadonlyMap<string, SceneRun>;
  readonly missing: readonly MissingAnchor[];
}
