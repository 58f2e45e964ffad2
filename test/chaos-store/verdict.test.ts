import { describe, expect, it } from 'vitest';
import { Client, type ClientPrompt } from './client.ts';
import type { Executions } from './executions.ts';
import type { HostProgram, ShownEvent } from './host-program.ts';
import { type Evidence, faultsOf } from './verdict.ts';

const PROMPT: ClientPrompt = {
  token: 't0x0',
  task: 'ask',
  life: 0,
  decision: 'allow',
  thinkMs: 0,
  whenInDoubt: 'fail',
  isGivenUp: false,
  promptId: 'p',
  sessionId: 's',
  text: 'ask t0x0',
  onPromptLost: 'once',
  sentIn: 0,
  isAccepted: true,
  outcomes: ['completed'],
  retries: 0,
};

const LOG: readonly ShownEvent[] = [
  { type: 'prompt.accepted', promptId: 'p' },
  { type: 'permission.requested', requestId: 'q', input: { command: 'ask t0x0' } },
  { type: 'permission.settled', requestId: 'q', outcome: 'allowed', by: 'api' },
  { type: 'turn.ended', promptIds: ['p'], costUsd: 0.5 },
  { type: 'prompt.ended', promptId: 'p', outcome: 'completed' },
].map((event, index) => ({ ...event, seq: index + 1, epoch: 1, at: 1 }));

const DONE: Executions = {
  turns: new Map([['t0x0', 1]]),
  tools: new Map([['t0x0', 1]]),
  decisions: [{ token: 't0x0', nonce: 'n1', behavior: 'allow' }],
  violations: [],
  strange: [],
};

describe('the verdict on a run', () => {
  it('finds nothing where everything is as promised', () => {
    expect(faultsOf(evidence())).toEqual([]);
  });

  it.each<[string, Parameters<typeof evidence>[0], string]>([
    ['lost what it acknowledged', { log: LOG.slice(0, 0), isUnseen: true }, 'acknowledged, and 0 times accepted'],
    ['never ended a prompt', { log: LOG.slice(0, -1), isUnseen: true }, 'accepted 1 times, ended 0 times'],
    ['ended a prompt twice', { log: [...LOG, again('prompt.ended')] }, 'ended 2 times'],
    ['told another outcome', { prompt: { outcomes: ['completed', 'lost'] } }, 'told as lost'],
    ['ran a prompt twice', { done: { turns: new Map([['t0x0', 2]]) } }, '2 turns completed, at most 1'],
    ['ran a tool twice', { done: { tools: new Map([['t0x0', 2]]) } }, 'its tool ran 2 times'],
    ['ran a denied tool', { prompt: { decision: 'deny' } }, 'denied, and its tool ran'],
    ['completed what nobody did', { done: { turns: new Map() } }, 'completed, and no turn of it was'],
    ['applied a decision twice', { done: { decisions: [...DONE.decisions, ...DONE.decisions] } }, 'applied 2 times'],
    ['invented a decision', { isUndecided: true }, 'nobody decided'],
    ['forgot a decision', { log: LOG.map(withoutDecision), isUnseen: true }, 'n1 was acknowledged, and the log says'],
    ['settled a question twice', { log: [...LOG, again('permission.settled')] }, 'was settled allowed by api, then'],
    ['has a hole in its log', { log: LOG.filter(({ seq }) => seq !== 2), isUnseen: true }, '3 stands at 2'],
    ['lost what was seen', { log: LOG.slice(0, -1) }, 'Somebody saw the event 5 of s'],
    ['changed what was seen', { log: LOG.map((event) => ({ ...event, at: 2 })) }, 'was seen as'],
    ['counts other costs', { costUsd: 0.7 }, 'says it cost 0.7, and its turns cost 0.5'],
    ['gave a CLI strange work', { done: { strange: ['x'] } }, 'given what nobody sent'],
    ['broke the protocol', { done: { violations: ['duplicate-answer'] } }, 'complains of its host'],
  ])('sees a host that %s', (_, difference, fault) => {
    expect(faultsOf(evidence(difference)).join('\n')).toContain(fault);
  });

  it('allows what a policy allows: a second run where a prompt is begun anew, an end as lost where it is not', () => {
    const twice = { turns: new Map([['t0x0', 2]]), tools: new Map([['t0x0', 2]]) };
    expect(faultsOf(evidence({ prompt: { onPromptLost: 'retry' }, done: twice }))).toEqual([]);
    const lost = LOG.map((event) => (event.type === 'prompt.ended' ? { ...event, outcome: 'lost' } : event));
    expect(faultsOf(evidence({ prompt: { outcomes: ['lost'] }, log: lost }))).toEqual([]);
    expect(faultsOf(evidence({ prompt: { outcomes: ['lost'], onPromptLost: 'retry' }, log: lost }))).not.toEqual([]);
  });
});

describe('the client of a run', () => {
  it('notices a session that is gone, an event that is another, and one that it was not told', () => {
    const client = newClient(PROMPT);
    client.meet(HOST);
    client.hear({ type: 'started', id: 's' });
    for (const event of LOG.slice(0, 2)) client.hear({ type: 'event', id: 's', event });
    client.meet(HOST);
    client.hear({ type: 'recovered', tookMs: 1, sessions: [] });
    client.hear({ type: 'started', id: 's' });
    client.hear({ type: 'event', id: 's', event: { ...again('prompt.accepted'), seq: 1, epoch: 2 } });
    client.hear({ type: 'event', id: 's', event: again('turn.ended') });

    expect(client.failures).toEqual([
      expect.stringContaining('s is gone'),
      expect.stringContaining('The event 1 of s was'),
      expect.stringContaining('told 6 after 1'),
    ]);
  });

  it('sends once more what was not acknowledged, and reads on, or all of it again', () => {
    const client = newClient({ ...PROMPT, isAccepted: false, outcomes: [] });
    for (const life of [0, 1, 2]) {
      const said: unknown[] = [];
      client.meet({ ...HOST, say: (command) => said.push(command) });
      client.hear({ type: 'started', id: 's' });
      for (const event of life === 0 ? LOG.slice(0, 1) : []) client.hear({ type: 'event', id: 's', event });
      expect(said).toEqual([
        { do: 'watch', id: 's', from: life === 2 ? 1 : 0 },
        { do: 'prompt', id: 's', promptId: 'p', text: 'ask t0x0' },
      ]);
    }
    expect(client.open(2)).toHaveLength(1);
    expect(client.failures).toEqual([]);
  });
});

const HOST: HostProgram = {
  pid: 0,
  say: () => {},
  kill: () => {},
  ended: new Promise(() => {}),
  complaints: () => '',
};

function newClient(prompt: ClientPrompt): Client {
  const session = { id: 's', options: { id: 's' }, isStarted: false };
  return new Client({ sessions: [session], prompts: [prompt], answer: () => ({}) });
}

/** All that is known after a run; `difference` says what went otherwise. */
function evidence(
  difference: {
    readonly prompt?: Partial<ClientPrompt>;
    readonly log?: readonly ShownEvent[];
    readonly done?: Partial<Executions>;
    readonly costUsd?: number;
    /** The client read nothing. */
    readonly isUnseen?: boolean;
    readonly isUndecided?: boolean;
  } = {},
): Evidence {
  const client = newClient({ ...PROMPT, ...difference.prompt });
  client.meet(HOST);
  const changed = difference.log?.every(({ at }) => at === 1) === false ? LOG : (difference.log ?? LOG);
  const seen = changed.length < LOG.length ? LOG : changed;
  client.hear({ type: 'started', id: 's' });
  if (difference.isUnseen !== true) for (const event of seen) client.hear({ type: 'event', id: 's', event });
  client.hear({ type: 'counted', sessions: [{ id: 's', costUsd: difference.costUsd ?? 0.5 }], totalUsd: 0.5 });
  const decision = { requestId: 'q', sessionId: 's', token: 't0x0', nonce: 'n1', behavior: 'allow' as const };
  client.decisions.clear();
  if (difference.isUndecided !== true) client.decisions.set('q', { ...decision, wasSent: true, isAnswered: true });
  return {
    client,
    executions: { ...DONE, ...difference.done },
    stored: new Map([['s', difference.log ?? LOG]]),
    losses: 1,
    tellsTurns: true,
  };
}

/** The event of that type once more, at the end. */
function again(type: string): ShownEvent {
  return { ...LOG.find((event) => event.type === type), type, seq: LOG.length + 1 };
}

function withoutDecision(event: ShownEvent): ShownEvent {
  return event.type === 'permission.settled' ? { ...event, outcome: 'cancelled' } : event;
}
