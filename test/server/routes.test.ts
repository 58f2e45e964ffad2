import { describe, expect, it } from 'vitest';
import { serverStage } from './stage.ts';

describe('the routes', () => {
  it('show the sessions that live, and what the supervisor does', async () => {
    const { ask, supervisor } = await serverStage();
    await supervisor.start({ id: 'a', key: 'issue-7', autoStart: false });

    expect((await ask('GET', '/v1/sessions')).body).toMatchObject({ sessions: [{ id: 'a', key: 'issue-7' }] });
    expect((await ask('GET', '/v1/sessions/a')).body).toMatchObject({ id: 'a', state: 'hibernated', status: 'idle' });
    expect((await ask('GET', '/v1/supervisor')).body).toMatchObject({ state: 'running' });
  });
});
