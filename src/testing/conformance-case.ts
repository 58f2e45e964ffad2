/** One promise of a conformance suite. `run` rejects when it is not kept. */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}
