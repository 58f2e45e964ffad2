/**
 * What is used of `@opentelemetry/api`: give the module itself, `import * as api from '@opentelemetry/api'`. Troupe does not depend
 * on it (R101).
 */
export interface OpenTelemetry {
  readonly context: { active(): Context };
  readonly trace: {
    getTracer(name: string): Tracer;
    setSpan(context: Context, span: Span): Context;
  };
}

export interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
  deleteValue(key: symbol): Context;
}

export interface Tracer {
  startSpan(name: string, options: SpanOptions, context: Context): Span;
}

export interface SpanOptions {
  readonly kind?: number;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  readonly attributes: Attributes;
}

export interface Span {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  addEvent(name: string, attributes: Attributes, time: number): unknown;
  end(time?: number): void;
}

export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

/** `SpanKind` and `SpanStatusCode` of the API, which are the same in every release of it. */
export const [INTERNAL, CLIENT, ERROR] = [0, 2, 2] as const;
