import { planChaos, type SpawnerPlan } from './chaos-plan.ts';
import { type RunReport, runChaos } from './chaos-run.ts';
import { buildProps } from './props.ts';

export interface CampaignOptions {
  readonly runs: number;
  /** The first run has this seed, the next one the following number. */
  readonly seed: number;
  /** Runs at the same time. */
  readonly lanes: number;
  /** Who starts the processes. Default: chance decides. */
  readonly spawner?: SpawnerPlan['mode'] | undefined;
  onReport?(report: RunReport): void;
}

/** Plays runs with real processes, one seed after the other. A run that breaks is a failed run, and the others go on. */
export async function runCampaign({
  runs,
  seed,
  lanes,
  spawner,
  onReport,
}: CampaignOptions): Promise<readonly RunReport[]> {
  const props = await buildProps();
  const seeds = Array.from({ length: runs }, (_, index) => seed + index).values();
  const reports: RunReport[] = [];
  const lane = async (): Promise<void> => {
    for (const own of seeds) {
      const report = await runChaos(planChaos(own, spawner), props).catch((error: unknown) => brokenRun(own, error));
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

function brokenRun(seed: number, error: unknown): RunReport {
  const failure = error instanceof Error ? error.message : String(error);
  return { seed, plan: 'broken', failures: [failure], goneAfterMs: 0, tookMs: 0 };
}
