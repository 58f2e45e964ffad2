/** Where the packages of OpenTelemetry put what is registered with them: nobody needs to depend on them to find it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

interface Registered {
  readonly context?: { active(): unknown };
  readonly propagation?: { inject(context: unknown, carrier: Headers, setter: Setter): void };
}

type Headers = Record<string, string>;

interface Setter {
  set(carrier: Headers, name: string, value: string): void;
}

/**
 * The span that is active where a process is started, as environment variables (`TRACEPARENT`, `TRACESTATE`, `BAGGAGE`, by
 * the propagator of the host). Empty without OpenTelemetry, without a span, and when the propagator fails: no start shall.
 */
export function activeTrace(): Readonly<Record<string, string>> {
  const headers: Headers = {};
  try {
    const { [REGISTERED]: api } = globalThis as { [REGISTERED]?: Registered };
    api?.propagation?.inject(api.context?.active(), headers, {
      set(carrier, name, value) {
        if (typeof value === 'string') carrier[name.toUpperCase().replaceAll('-', '_')] = value;
      },
    });
  } catch {
    return {};
  }
  return headers;
}
