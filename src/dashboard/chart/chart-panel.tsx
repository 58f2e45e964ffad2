import { useSignal } from '@preact/signals';
import type { Transition } from '../../view/session-view.ts';
import { Modal } from '../frame/modal.tsx';
import { Statechart } from './statechart.tsx';

interface PanelOptions {
  readonly position: string;
  readonly transitions: readonly Transition[];
}

/** The chart as large as its panel; on demand as large as the window. */
export function ChartPanel({ position, transitions }: PanelOptions) {
  const isLarge = useSignal(false);
  return (
    <section class="card chart-panel" aria-label="Statechart">
      <button
        type="button"
        class="quiet enlarge"
        aria-label="Show the chart large"
        title="Show the chart large"
        onClick={() => {
          isLarge.value = true;
        }}
      >
        ⤢
      </button>
      <Statechart position={position} transitions={transitions} />
      <Modal isOpen={isLarge} title="Statechart" kind="wide">
        <Statechart position={position} transitions={transitions} isLarge />
      </Modal>
    </section>
  );
}
