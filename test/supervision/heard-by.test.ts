import { expect, it } from 'vitest';
import type { IncarnationListener } from '../../src/session/incarnation.ts';
import { heardBy } from '../../src/supervision/heard-by.ts';
import { SecretKeeper } from '../../src/supervision/secret-keeper.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';
import { runOf } from '../server/runs.ts';

it('an account knows of a message, and that the model answers, before the conversation does (P8)', () => {
  const told: string[] = [];
  const conversation: Partial<IncarnationListener> = {
    message: ({ type }) => told.push(`conversation: ${type}`),
    run: ({ count }) => told.push(`conversation: ${count} pieces`),
  };
  const listener = heardBy(
    conversation as IncarnationListener, // Nothing else of it is asked for here.
    { redaction: new SecretKeeper({}, () => ({})).redaction({}), storeLink: undefined },
    {
      retry: { hear: ({ type }) => told.push(`retry: ${type}`) },
      account: {
        hear: ({ type }) => told.push(`account: ${type}`),
        hearAnswer: () => told.push('account: the model answers'),
      },
    },
  );

  listener.message(new CliMessage(Buffer.from('{"type":"result"}'), 'result', undefined));
  listener.run(runOf(1, ['one', 'two']).lines);

  expect(told).toEqual([
    'retry: result',
    'account: result',
    'conversation: result',
    'account: the model answers',
    'conversation: 2 pieces',
  ]);
});
