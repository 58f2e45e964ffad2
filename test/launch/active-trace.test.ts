import { afterEach, describe, expect, it } from 'vitest';
import { activeTrace } from '../../src/launch/active-trace.ts';

/** What the packages of OpenTelemetry 1.x register, under the name they register it. */
const NAME = Symbol.for('opentelemetry.js.api.1');
const SPAN = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=b' };

interface Setter {
  set(carrier: object, name: string, value: unknown): void;
}

function register(inject: (context: unknown, carrier: object, setter: Setter) => void): void {
  const context = { active: () => 'the active context' };
  Object.assign(globalThis, { [NAME]: { version: '1.9.0', context, propagation: { inject } } });
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, NAME);
});

describe('the active span (PEER test_transport)', () => {
  it('is told by the propagator of the host, as variables', () => {
    register((context, carrier, setter) => {
      expect(context).toBe('the active context');
      for (const [name, value] of Object.entries(SPAN)) setter.set(carrier, name, value);
      setter.set(carrier, 'x-odd', 7);
    });
    expect(activeTrace()).toEqual({ TRACEPARENT: SPAN.traceparent, TRACESTATE: 'a=b' });
  });

  it('is none where the propagator tells none, and where nothing is registered', () => {
    expect(activeTrace()).toEqual({});
    Object.assign(globalThis, { [NAME]: { version: '1.9.0' } });
    expect(activeTrace()).toEqual({});
    register(() => {});
    expect(activeTrace()).toEqual({});
  });

  it('is none when the propagator fails: no start shall fail for it', () => {
    register((_, carrier, setter) => {
      setter.set(carrier, 'traceparent', SPAN.traceparent);
      throw new Error('a broken propagator');
    });
    expect(activeTrace()).toEqual({});
  });
});
