/** One way out of a state, in the words of its machine. */
export interface Way {
  /** The event as a reader would say it: `work.ended`, `after backoff`, `at once`. */
  readonly event: string;
  readonly guard?: string;
}

export interface ChartState {
  /** `child.waiting`, `session.ready.idle`. */
  readonly id: string;
  readonly name: string;
  /** The state around it. */
  readonly parent?: string;
  /** `any` stands for every state around it, `start` for where one begins. */
  readonly kind: 'state' | 'final' | 'any' | 'start';
  /** What it means, for people. */
  readonly words: string;
  /** Events that it hears without leaving. */
  readonly hears: readonly string[];
}

/** All transitions from one state to another are one arrow. */
export interface ChartArrow {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly ways: readonly Way[];
}

/** The statechart of a session: its child machine, with the machine of one process inside `running`. */
export interface Chart {
  readonly states: readonly ChartState[];
  readonly arrows: readonly ChartArrow[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type Point = readonly [x: number, y: number];

/** A chart with a place for everything, in units of the drawing. */
export interface DrawnChart {
  readonly width: number;
  readonly height: number;
  readonly states: readonly (ChartState & { readonly box: Box })[];
  readonly arrows: readonly (ChartArrow & { readonly points: readonly Point[] })[];
}
