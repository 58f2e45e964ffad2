import type { EventObject } from 'xstate';
import { childMachine } from '../../machines/child/child.machine.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import { supervisorMachine } from '../../machines/supervisor/supervisor.machine.ts';
import { RESTART } from '../machines/child-harness.ts';
import { CHILD_EVENTS, CRASH, GROUP_EVENTS, SESSION_EVENTS, SUPERVISOR_EVENTS } from '../machines/event-samples.ts';
import { inputOf } from '../machines/session-harness.ts';
import { SUBJECTS, type Subject } from '../machines/walk-subjects.ts';

const SURVIVORS: EndCause = { code: 'SURVIVORS', message: 'Processes were left.', ending: 'survivors' };

const SECOND_QUESTION = { ...SESSION_EVENTS['permission.requested'], requestId: 'second' };
const CRASHED = { ...CHILD_EVENTS['incarnation.ended'], cause: CRASH };
const LEFT_SURVIVORS = { ...CHILD_EVENTS['incarnation.ended'], cause: SURVIVORS };

/** The same machines begun in other ways, with events that would make the walk of all places endless: what only these lead to. */
export const VARIANTS: Readonly<Record<string, readonly Subject[]>> = {
  session: [
    variant('session', {
      input: inputOf({ mcpServers: [{ name: 'docs', required: false }] }),
      events: ['cli.spawned', 'cli.initialized', 'mcp.handshake-started', 'session.close', 'cli.spawn-failed'].map(
        (type) => sampleOf(SESSION_EVENTS, type),
      ),
    }),
    variant('session', {
      input: inputOf({}),
      events: [
        ...['cli.spawned', 'cli.initialized', 'permission.requested', 'permission.settled', 'cli.spawn-failed'].map(
          (type) => sampleOf(SESSION_EVENTS, type),
        ),
        SECOND_QUESTION,
      ],
    }),
  ],
  child: [
    ofChild({ isMember: false, autoStart: true }, [CHILD_EVENTS['child.stop'], refused('0.child.waiting')]),
    ofChild({ isMember: true, autoStart: true }, [
      CHILD_EVENTS['child.stop'],
      CHILD_EVENTS['child.hibernate'],
      refused('0.child.waiting'),
      done('0.child.waiting'),
      CRASHED,
      LEFT_SURVIVORS,
    ]),
  ],
  group: [
    variant('group', {
      input: { ...Object(SUBJECTS['group']?.options.input), isNested: false, intensity: 0 },
      events: [
        GROUP_EVENTS['member.ended'],
        GROUP_EVENTS['group.stop'],
        ...['starting', 'giving-up', 'stopping'].flatMap((state) => [
          done(`0.group.${state}`),
          refused(`0.group.${state}`),
        ]),
      ],
    }),
    // However many there are: only where it stands tells one place from another.
    variant('group', {
      events: [
        GROUP_EVENTS['member.added'],
        GROUP_EVENTS['group.stop'],
        done('0.group.starting'),
        done('0.group.stopping'),
      ],
      contextOf: () => 'any',
    }),
  ],
  supervisor: [
    {
      machine: supervisorMachine,
      transient: [],
      goals: ['stopped'],
      options: {
        input: SUBJECTS['supervisor']?.options.input,
        events: [
          SUPERVISOR_EVENTS['child.started'],
          SUPERVISOR_EVENTS['child.stopped'],
          SUPERVISOR_EVENTS['supervisor.shutdown'],
          ...['closing', 'killing', 'flushing'].map((phase) => done(`0.supervisor.stopping.${phase}`, { at: 0 })),
        ],
        contextOf: () => 'any',
      },
    },
  ],
};

function variant(name: string, options: Partial<Subject['options']>): Subject {
  const subject = SUBJECTS[name];
  if (subject === undefined) throw new Error(`There is no machine ${name}.`);
  return { ...subject, options: { ...subject.options, ...options } };
}

function ofChild(input: { isMember: boolean; autoStart: boolean }, events: readonly EventObject[]): Subject {
  const options = { input: { id: 'review', restart: RESTART, ...input }, events };
  return { ...variant('child', options), machine: childMachine };
}

function sampleOf(samples: Readonly<Record<string, EventObject>>, type: string): EventObject {
  const sample = samples[type];
  if (sample === undefined) throw new Error(`There is no event ${type}.`);
  return sample;
}

function done(actorId: string, output?: unknown): EventObject {
  return { type: `xstate.done.actor.${actorId}`, output, actorId } as EventObject;
}

function refused(actorId: string): EventObject {
  return { type: `xstate.error.actor.${actorId}`, error: new Error('broken'), actorId } as EventObject;
}
