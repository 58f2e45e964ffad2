export { type FleetMetrics, type MeasuredFleet, measureFleet } from './fleet-metrics.ts';
export type { Attributes, Context, OpenTelemetry, Span, SpanOptions, Tracer } from './open-telemetry.ts';
export { traceFleet } from './traces.ts';
