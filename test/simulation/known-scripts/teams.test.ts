import { type KnownScript, keepTheirPromises } from './known-script.ts';

/** Smallest scripts of sessions that stand or fall together that broke a promise once. */
const SCRIPTS: readonly KnownScript[] = [
  [
    'a group of members that another host left waits for slots no longer than it may (P5)',
    {
      seed: 702687,
      setting: {
        hasStore: true,
        onPromptLost: 'once',
        restart: 'transient',
        intensity: 1,
        evictIdle: true,
        maxSessions: 1,
        maxStarting: 2,
        maxPromptQueue: 4,
        maxLogItems: 400,
        maxSubscriberBufferItems: 20,
        idleMs: 9007199254740991,
        permissionMs: 15000,
        turnMs: 30000,
        stallMs: 300000,
        team: {
          strategy: 'rest_for_one',
          autoShutdown: 'any_significant',
          members: [
            { id: 'a', restart: 'transient', isSignificant: false },
            { id: 'b', restart: 'transient', isSignificant: false },
            { id: 'c', restart: 'temporary', isSignificant: true },
          ],
        },
      },
      steps: [
        { do: 'start', session: 'a', isAsleep: false },
        { do: 'crash' },
        { do: 'team', what: 'start', session: 'a' },
        { do: 'prompt', session: 'c', onBusy: 'steer' },
      ],
    },
  ],
  [
    'who ends while another is to be started again does not take its start away (P8)',
    {
      seed: 704172,
      setting: {
        hasStore: true,
        onPromptLost: 'ask',
        restart: 'permanent',
        intensity: 5,
        evictIdle: true,
        maxSessions: 8,
        maxStarting: 1,
        maxPromptQueue: 4,
        maxLogItems: 400,
        maxSubscriberBufferItems: 1000,
        idleMs: 9007199254740991,
        permissionMs: 15000,
        turnMs: 30000,
        stallMs: 300000,
        team: {
          strategy: 'rest_for_one',
          autoShutdown: 'never',
          members: [
            { id: 'c', restart: 'permanent', isSignificant: false },
            { id: 'a', restart: 'permanent', isSignificant: false },
          ],
        },
      },
      steps: [
        { do: 'start', session: 'c', isAsleep: false },
        { do: 'store', what: 'hold' },
        { do: 'kill', session: 'a' },
        { do: 'cli', nth: 3, act: 'sigkill' },
      ],
    },
  ],
];

keepTheirPromises(SCRIPTS);
