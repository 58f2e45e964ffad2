export { logFleet } from './fleet-log.ts';
export { type FleetMetrics, type MeasuredFleet, measureFleet } from './fleet-metrics.ts';
export {
  isWanted,
  LOG_COMPONENTS,
  LOG_LEVELS,
  type LogLevel,
  type LogLevels,
  lowestOf,
  readLogLevels,
} from './log-levels.ts';
export { type BoundedStream, boundedDescriptor, LogSink } from './log-sink.ts';
export type { Attributes, Context, OpenTelemetry, Span, SpanOptions, Tracer } from './open-telemetry.ts';
export { traceFleet } from './traces.ts';
