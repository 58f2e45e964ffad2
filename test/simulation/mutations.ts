import type { Transport, TransportListeners } from '../../src/transport/transport.ts';
import type { PromiseName } from './promises/promises.ts';
import type { Sabotage } from './sabotage.ts';
import { BYSTANDER } from './script.ts';

/** For each promise a world in which it is broken on purpose. */
export const MUTATIONS: Readonly<Record<PromiseName, { readonly what: string; readonly sabotage: Partial<Sabotage> }>> =
  {
    P1: {
      what: 'only the CLI itself is killed, and not what it started',
      sabotage: {
        spawn: (spawn, world) => async (plan, listeners) => {
          const transport = await spawn(plan, listeners);
          return {
            ...transport,
            async killTree() {
              world.processes.end(transport.pid);
              await transport.exited;
              return { killed: [transport.pid], survivors: [] };
            },
          };
        },
      },
    },
    P2: {
      what: 'a prompt is written twice, the second time under another id',
      sabotage: {
        spawn: (spawn) => async (plan, listeners) =>
          writing(await spawn(plan, listeners), (line) =>
            line.includes('"type":"user"') ? [line, line.replace(/"uuid":"0/, '"uuid":"f')] : [line],
          ),
      },
    },
    P3: {
      what: 'a turn ends with the words of another one',
      sabotage: {
        spawn: (spawn) => (plan, listeners) =>
          spawn(
            plan,
            reading(listeners, (text) => text.replace(/"result":"answer to do/, '"result":"answer to never do')),
          ),
      },
    },
    P4: {
      what: 'the CLI hears yes where no was said',
      sabotage: {
        spawn: (spawn) => async (plan, listeners) =>
          writing(await spawn(plan, listeners), (line) => [line.replace('"behavior":"deny"', '"behavior":"allow"')]),
      },
    },
    P5: {
      what: 'no deadline ever comes',
      sabotage: {
        clock: (clock) => ({
          now: clock.now,
          clearTimeout: clock.clearTimeout,
          setTimeout: (handler, ms) => clock.setTimeout(handler, ms > 1_000 ? Number.POSITIVE_INFINITY : ms),
          get openTimers() {
            return clock.openTimers;
          },
        }),
      },
    },
    P6: {
      what: 'what the model streams is thrown away unseen',
      sabotage: {
        spawn: (spawn) => (plan, listeners) =>
          spawn(
            plan,
            reading(listeners, (text) => (/^\{"type":"stream_event".*\n$/.test(text) ? '' : text)),
          ),
      },
    },
    P7: {
      what: 'a store acknowledges an event and keeps another one',
      sabotage: {
        store: (store) => ({
          ...store,
          append: (change) =>
            store.append({ ...change, events: change.events.map((event) => ({ ...event, at: event.at + 1 })) }),
        }),
      },
    },
    P8: {
      what: 'the next process is not told which conversation it goes on with',
      sabotage: {
        spawn: (spawn) => (plan, listeners) =>
          spawn({ ...plan, args: plan.args.filter((arg) => !arg.startsWith('--resume')) }, listeners),
      },
    },
    'P8 of groups': {
      what: 'who depends on a session that failed goes on as if nothing had happened',
      sabotage: { group: (options) => ({ ...options, strategy: 'one_for_one' }) },
    },
    P9: {
      what: 'more sessions get a process than may have one',
      sabotage: {
        options: (options) => ({
          ...options,
          limits: { ...options.limits, maxSessions: 20, maxStarting: 20, maxPromptQueue: 1_000 },
        }),
      },
    },
    P10: {
      what: 'what one process says is heard by the session of another',
      sabotage: {
        spawn: (spawn, world) => (plan, listeners) => {
          if (plan.mark.startsWith(`${BYSTANDER}:`)) {
            ears.set(world, listeners);
            return spawn(plan, listeners);
          }
          const output = (chunk: Buffer) => {
            listeners.output(chunk);
            if (chunk.includes('stream_event') && chunk.at(-1) === 0x0a) ears.get(world)?.output(Buffer.from(chunk));
          };
          return spawn(plan, { ...listeners, output });
        },
      },
    },
  };

const ears = new WeakMap<object, TransportListeners>();

function writing(transport: Transport, lines: (line: string) => readonly string[]): Transport {
  return {
    ...transport,
    async write(line) {
      for (const one of lines(line)) await transport.write(one);
    },
  };
}

function reading(listeners: TransportListeners, change: (text: string) => string): TransportListeners {
  return {
    ...listeners,
    output: (chunk) => {
      const text = change(chunk.toString('latin1'));
      if (text !== '') listeners.output(Buffer.from(text, 'latin1'));
    },
  };
}
