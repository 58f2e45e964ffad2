import { useSignal } from '@preact/signals';
import type { SessionView } from '../../view/session-view.ts';
import { Modal } from '../frame/modal.tsx';
import { tell } from '../frame/toast.ts';
import { attempt, useSource } from '../main/page.ts';
import { useRefusal } from '../main/scopes.ts';
import { SessionChange } from './session-change.tsx';

interface Action {
  readonly name: string;
  readonly label: string;
  readonly done: string;
  readonly fits: (view: SessionView) => boolean;
  /** What is lost by it: asked before. */
  readonly warning?: string;
}

const isOver = ({ state }: SessionView) => state === 'stopped';

const ACTIONS: readonly Action[] = [
  {
    name: 'interrupt',
    label: 'Interrupt',
    done: 'It was told to stop what it does.',
    fits: (view) => view.status !== 'idle',
  },
  {
    name: 'hibernate',
    label: 'Hibernate',
    done: 'Its process ends; the next prompt starts one.',
    fits: (view) => view.pid !== undefined,
  },
  {
    name: 'restart',
    label: 'Start again',
    done: 'It starts again.',
    fits: ({ state }) => state === 'hibernated' || state === 'backing-off' || state === 'quarantined',
  },
  {
    name: 'close',
    label: 'Close',
    done: 'It is being closed.',
    fits: (view) => !isOver(view),
    warning: 'The session ends: its process, and the prompts that wait. It cannot be started again from here.',
  },
  {
    name: 'kill',
    label: 'Kill',
    done: 'It is being killed.',
    fits: (view) => !isOver(view),
    warning: 'The session and all its processes are ended at once, without a grace period.',
  },
];

export function SessionActions({ view }: { readonly view: SessionView }) {
  const source = useSource();
  const refusal = useRefusal('control');
  const isAsking = useSignal(false);
  const asked = useSignal<Action | undefined>(undefined);
  const act = async (action: Action) => {
    isAsking.value = false;
    const path = `sessions/${encodeURIComponent(view.id)}/${action.name}`;
    const isDone = await attempt(source, `${action.label} was refused.`, () => source.ask('POST', path, {}));
    if (isDone) tell({ tone: 'good', title: action.done });
  };
  return (
    <div class="actions">
      {ACTIONS.map((action) => (
        <button
          key={action.name}
          type="button"
          class={action.warning === undefined ? '' : 'careful'}
          disabled={refusal !== undefined || !action.fits(view)}
          title={refusal}
          onClick={() => {
            if (action.warning === undefined) return void act(action);
            asked.value = action;
            isAsking.value = true;
          }}
        >
          {action.label}
        </button>
      ))}
      <SessionChange view={view} refusal={refusal} />
      <Modal isOpen={isAsking} title={`${asked.value?.label ?? ''} ${view.id}?`}>
        <p>{asked.value?.warning}</p>
        <footer>
          <button
            type="button"
            onClick={() => {
              isAsking.value = false;
            }}
          >
            Cancel
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              if (asked.value !== undefined) void act(asked.value);
            }}
          >
            {asked.value?.label}
          </button>
        </footer>
      </Modal>
    </div>
  );
}
