import { toMermaid } from 'troupe/machines';
import { reviewBoard } from './review-board.machine.ts';
import { reviewPipeline } from './review-pipeline.machine.ts';

/** The statecharts of the examples, by name. */
export const EXAMPLE_CHARTS: Readonly<Record<string, string>> = {
  'review-pipeline': toMermaid(reviewPipeline),
  'review-board': toMermaid(reviewBoard(['style', 'facts', 'tone'])),
};
