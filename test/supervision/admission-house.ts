import type { Admission } from '../../src/session/admission.ts';
import { AdmissionControl, type AdmissionLimits } from '../../src/supervision/admission.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

const NEVER = Number.POSITIVE_INFINITY;
export const PATIENT = new AbortController().signal;

/** An admission whose places are known by names, and what became of them. */
export function openHouse(limits: Partial<AdmissionLimits> & { maxSessions: number }) {
  const clock = simulatedClock();
  const memory = { free: NEVER };
  const { admissionMs = NEVER, maxStarting = 4 } = limits;
  const house = new AdmissionControl({
    limits: { ...limits, maxStarting, admissionMs },
    clock,
    freeMemory: () => memory.free,
  });
  const admitted: string[] = [];
  const refused = new Map<string, unknown>();
  const starts = new Map<string, () => void>();
  const places = new Map<string, Admission>();
  const wait = (name: string, signal: AbortSignal) => {
    const place = places.get(name);
    place?.start(signal, false).then(
      (started) => {
        admitted.push(name);
        starts.set(name, started);
      },
      (error: unknown) => {
        refused.set(name, error);
        place.giveBack();
      },
    );
  };
  return {
    house,
    clock,
    admitted,
    refused,
    memory,
    lackOf: (name: string) => places.get(name)?.lack(),
    queue: (name: string, signal: AbortSignal = PATIENT, key?: string, configDir?: string) => {
      places.set(name, house.place({ key, configDir }));
      wait(name, signal);
    },
    again: (name: string) => wait(name, PATIENT),
    positionOf: (name: string) => places.get(name)?.position(),
    started: (name: string) => starts.get(name)?.(),
    /** Its process is ready, and later gone. */
    release: (name: string) => {
      starts.get(name)?.();
      places.get(name)?.giveBack();
    },
  };
}
