import { type KnownScript, keepTheirPromises } from './known-script.ts';

/** Smallest scripts of a CLI that says or hears nothing that broke a promise once. */
const SCRIPTS: readonly KnownScript[] = [
  [
    'a prompt behind a turn that stood still comes to its end (P2)',
    {
      seed: 15020,
      setting: {
        hasStore: false,
        onPromptLost: 'retry',
        restart: 'transient',
        intensity: 3,
        evictIdle: false,
        maxSessions: 8,
        maxStarting: 2,
        maxPromptQueue: 100,
        maxLogItems: 400,
        maxSubscriberBufferItems: 20,
        idleMs: 9007199254740991,
        permissionMs: 15000,
        turnMs: 9007199254740991,
        stallMs: 300000,
      },
      steps: [
        { do: 'start', session: 'a', isAsleep: false },
        { do: 'prompt', session: 'a', onBusy: 'interrupt' },
        { do: 'cli', nth: 0, act: 'deafen' },
        { do: 'prompt', session: 'a', onBusy: 'steer' },
        { do: 'cli', nth: 1, act: 'tool' },
        { do: 'answer', nth: 1, behavior: 'allow', rivals: 0 },
      ],
    },
  ],
  [
    'a CLI that did not hear that its tool is refused is interrupted (P5)',
    {
      seed: 61463,
      setting: {
        hasStore: true,
        onPromptLost: 'ask',
        restart: 'transient',
        intensity: 5,
        evictIdle: false,
        maxSessions: 3,
        maxStarting: 1,
        maxPromptQueue: 4,
        maxLogItems: 400,
        maxSubscriberBufferItems: 1000,
        idleMs: 20000,
        permissionMs: 9007199254740991,
        turnMs: 9007199254740991,
        stallMs: 10000,
      },
      steps: [
        { do: 'start', session: 'a', isAsleep: false },
        { do: 'prompt', session: 'a', onBusy: 'interrupt' },
        {
          do: 'race',
          steps: [
            { do: 'cli', nth: 2, act: 'tool' },
            { do: 'cli', nth: 0, act: 'deafen' },
            { do: 'cli', nth: 0, act: 'own-turn' },
          ],
        },
        { do: 'answer', nth: 1, behavior: 'deny', rivals: 2 },
      ],
    },
  ],
  [
    'what a deaf process was given waits once more, and makes no queue too long (P9)',
    {
      seed: 50487,
      setting: {
        hasStore: true,
        onPromptLost: 'ask',
        restart: 'transient',
        intensity: 3,
        evictIdle: false,
        maxSessions: 8,
        maxStarting: 1,
        maxPromptQueue: 2,
        maxLogItems: 400,
        maxSubscriberBufferItems: 20,
        idleMs: 20000,
        permissionMs: 15000,
        turnMs: 9007199254740991,
        stallMs: 10000,
      },
      steps: [
        { do: 'start', session: 'c', isAsleep: false },
        { do: 'cli', nth: 2, act: 'deafen' },
        { do: 'prompt', session: 'c', onBusy: 'steer' },
        { do: 'prompt', session: 'c', onBusy: 'steer' },
        {
          do: 'race',
          steps: [
            { do: 'prompt', session: 'c', onBusy: 'enqueue' },
            { do: 'store', what: 'hold' },
            { do: 'prompt', session: 'b', onBusy: 'interrupt' },
            { do: 'start', session: 'c', isAsleep: false },
          ],
        },
        { do: 'cli', nth: 2, act: 'sigkill' },
      ],
    },
  ],
  [
    'a prompt that a silent CLI began after it was given up is interrupted with that as its reason (P3, P5)',
    {
      seed: 102386,
      setting: {
        hasStore: false,
        onPromptLost: 'ask',
        restart: 'temporary',
        intensity: 5,
        evictIdle: false,
        maxSessions: 8,
        maxStarting: 2,
        maxPromptQueue: 100,
        maxLogItems: 40,
        maxSubscriberBufferItems: 4,
        idleMs: 20000,
        permissionMs: 15000,
        turnMs: 9007199254740991,
        stallMs: 10000,
      },
      steps: [
        {
          do: 'race',
          steps: [
            { do: 'start', session: 'b', isAsleep: false },
            { do: 'cli', nth: 0, act: 'late-result' },
            { do: 'cli', nth: 0, act: 'hear-again' },
          ],
        },
        { do: 'cli', nth: 1, act: 'stop' },
        { do: 'prompt', session: 'b', onBusy: 'reject' },
        { do: 'pass', ms: 12000 },
        { do: 'pass', ms: 12000 },
      ],
    },
  ],
];

keepTheirPromises(SCRIPTS);
