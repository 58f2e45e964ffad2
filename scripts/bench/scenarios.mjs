import { streamed } from './scenarios/streamed.mjs';

/** What a fresh process can be asked to measure. */
export const SCENARIOS = { streamed };
