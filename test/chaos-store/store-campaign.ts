import { type PlanOptions, planStoreChaos } from './store-plan.ts';
import { buildStoreProps } from './store-props.ts';
import { runStoreChaos, type Sabotage, type StoreRunReport } from './store-run.ts';

export interface StoreCampaignOptions extends PlanOptions {
  readonly runs: number;
  /** The first run has this seed, the next one the following number. */
  readonly seed: number;
  /** Runs at the same time. */
  readonly lanes: number;
  readonly sabotage?: Sabotage | undefined;
  onReport?(report: StoreRunReport): void;
}

/** Plays runs with real processes, one seed after the other. A run that breaks is a failed run, and the others go on. */
export async function runStoreCampaign(options: StoreCampaignOptions): Promise<readonly StoreRunReport[]> {
  const { runs, seed, lanes, sabotage, onReport } = options;
  const props = await buildStoreProps();
  const seeds = Array.from({ length: runs }, (_, index) => seed + index).values();
  const reports: StoreRunReport[] = [];
  const lane = async (): Promise<void> => {
    for (const own of seeds) {
      const plan = planStoreChaos(own, options);
      const report = await runStoreChaos(plan, props, { sabotage }).catch((error: unknown) => brokenRun(own, error));
      reports.push(report);
      onReport?.(report);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    await props.strike();
  }
  return reports.toSorted((one, other) => one.seed - other.seed);
}

function brokenRun(seed: number, error: unknown): StoreRunReport {
  const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const nothing = {
    kills: 0,
    handovers: 0,
    sessions: 0,
    prompts: 0,
    decisions: 0,
    events: 0,
    recoveryMs: 0,
    tookMs: 0,
  };
  return { seed, plan: 'broken', failures: [failure], ...nothing };
}
