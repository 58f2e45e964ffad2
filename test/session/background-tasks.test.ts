import { describe, expect, it } from 'vitest';
import { BackgroundTasks } from '../../src/session/background-tasks.ts';

const AGENT = { id: 'a1', kind: 'local_agent' };
const SHELL = { id: 'b1', kind: 'local_bash' };

describe('the background tasks', () => {
  it('are what the newest full list says, nothing more and nothing less (WIRE §25.21, R05)', () => {
    const tasks = new BackgroundTasks();
    tasks.started(AGENT);
    tasks.replace([SHELL, { id: 'a2', kind: 'remote_agent' }]);
    expect(tasks.ids).toEqual(['b1', 'a2']);
    expect(tasks.agents).toBe(1);
    tasks.replace([]);
    expect([tasks.ids, tasks.agents]).toEqual([[], 0]);
  });

  it('are counted one by one where no list is told, each once', () => {
    const tasks = new BackgroundTasks();
    tasks.started(AGENT);
    tasks.started(AGENT);
    tasks.started(SHELL);
    expect(tasks.ids).toEqual(['a1', 'b1']);
    tasks.ended('a1', false);
    tasks.ended('nobody', true);
    expect(tasks.ids).toEqual(['b1']);
  });

  it('never keep a session busy for a shell: it may run for ever (R19)', () => {
    const tasks = new BackgroundTasks();
    tasks.started(SHELL);
    tasks.started({ id: 'm1', kind: 'monitor' });
    expect(tasks.agents).toBe(0);
    tasks.ended('b1', true);
    expect(tasks.isTurnExpected).toBe(false);
  });

  it('announce the turn in which a finished agent reports, until that turn ends (R19, R72)', () => {
    const tasks = new BackgroundTasks();
    tasks.started(AGENT);
    tasks.ended('a1', true);
    tasks.replace([]);
    expect([tasks.agents, tasks.isTurnExpected]).toEqual([0, true]);
    tasks.turnEnded();
    expect(tasks.isTurnExpected).toBe(false);
  });

  it('announce no turn for an agent that was killed (R19, WIRE §8)', () => {
    const tasks = new BackgroundTasks();
    tasks.started(AGENT);
    tasks.ended('a1', false);
    expect(tasks.isTurnExpected).toBe(false);
    tasks.ended('a1', true);
    expect(tasks.isTurnExpected).toBe(false);
  });

  it('are forgotten with their process', () => {
    const tasks = new BackgroundTasks();
    tasks.started(SHELL);
    tasks.started(AGENT);
    tasks.ended('a1', true);
    tasks.forget();
    expect([tasks.ids, tasks.isTurnExpected]).toEqual([[], false]);
  });
});
