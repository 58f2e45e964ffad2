export interface DeliveryLane {
  /** Runs the delivery after all that were posted before, never within the caller's own turn. */
  post(delivery: () => void): void;
  hold(): void;
  release(): void;
}

/** Deliveries in order, by microtasks: what a pipe does, without the pipe. Holding it keeps them for later. */
export function createDeliveryLane(): DeliveryLane {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  let isScheduled = false;

  function schedule(): void {
    if (isHeld || isScheduled || waiting.length === 0) return;
    isScheduled = true;
    queueMicrotask(deliver);
  }

  function deliver(): void {
    isScheduled = false;
    const delivery = isHeld ? undefined : waiting.shift();
    // The next one is scheduled first: a delivery that throws must not stop those behind it.
    schedule();
    delivery?.();
  }

  return {
    post(delivery) {
      waiting.push(delivery);
      schedule();
    },
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      schedule();
    },
  };
}
