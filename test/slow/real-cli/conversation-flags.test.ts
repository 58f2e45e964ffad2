import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Stage, stage } from './stage.ts';
import { linesOf } from './transcript-of.ts';

const CHOSEN = '11111111-2222-4333-8444-555555555555';

/** A conversation that is over and can be resumed: its id, and the uuids of its prompts and answers. */
async function said(
  { start }: Stage,
  ...texts: string[]
): Promise<{ id: string; prompts: string[]; answers: string[] }> {
  const session = await start();
  const prompts: string[] = [];
  for (const text of texts) {
    const turn = session.prompt(text);
    prompts.push(turn.id);
    await turn.result;
  }
  const answers = (await linesOf(session)).flatMap(({ type, uuid }) => (type === 'assistant' ? [String(uuid)] : []));
  const id = session.conversationId ?? '';
  await session.close();
  return { id, prompts, answers };
}

/** What the model was shown with the newest prompt. */
function shown({ model }: Stage): string {
  return JSON.stringify(model.requests.at(-1)?.body['messages']);
}

function transcripts({ configDir }: Stage): string[] {
  try {
    const names = readdirSync(join(configDir, 'projects'), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.jsonl'));
  } catch {
    return [];
  }
}

describe('which conversation a session of the real CLI continues (WIRE §12)', () => {
  it('continue: the newest of its folder, and a new one where there is none', async () => {
    const on = await stage();
    const fresh = await on.start({ continue: true });
    expect((await fresh.prompt('remember the lamp').result).outcome).toBe('completed');
    const { conversationId } = fresh;
    await fresh.close();

    const next = await on.start({ continue: true });
    await next.prompt('go on').result;
    expect(next.conversationId).toBe(conversationId);
    expect(shown(on)).toContain('remember the lamp');
  });

  it('forkSession: all that was said under a new id, chosen or not; the first one stays as it was', async () => {
    const on = await stage();
    const { id } = await said(on, 'remember the lamp');
    const fork = await on.start({ resume: id, forkSession: true });
    await fork.prompt('only in the fork').result;
    expect(fork.conversationId).not.toBe(id);
    expect(shown(on)).toContain('remember the lamp');

    const chosen = await on.start({ resume: id, forkSession: true, sessionId: CHOSEN });
    await chosen.prompt('go on').result;
    expect(chosen.conversationId).toBe(CHOSEN);
    expect(shown(on)).toContain('remember the lamp');
    expect(shown(on)).not.toContain('only in the fork');
  });

  it('sessionId: as given; taken again it fails the start at once, with the words of the CLI', async () => {
    const on = await stage();
    const session = await on.start({ sessionId: CHOSEN });
    await session.prompt('hello').result;
    expect(session.conversationId).toBe(CHOSEN);
    await session.close();

    const failure = await on.start({ sessionId: CHOSEN }).catch((error: unknown) => error);
    expect(String(failure)).toContain('already in use');
    await expect(on.start({ sessionId: 'no uuid' })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await expect(on.start({ sessionId: CHOSEN, resume: CHOSEN })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  it('sessionId: one of a process that got no prompt is still free, and cannot be resumed', async () => {
    const on = await stage();
    const unused = await on.start({ sessionId: CHOSEN });
    await unused.close();
    expect(transcripts(on)).toEqual([]);
    await expect(on.start({ resume: CHOSEN })).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });

    const used = await on.start({ sessionId: CHOSEN });
    expect((await used.prompt('hello').result).outcome).toBe('completed');
    expect(used.conversationId).toBe(CHOSEN);
  });

  it('persistSession: false leaves nothing behind, and nothing to resume', async () => {
    const on = await stage();
    const session = await on.start({ persistSession: false });
    await session.prompt('hello').result;
    const id = session.conversationId ?? '';
    await session.close();

    expect(transcripts(on)).toEqual([]);
    await expect(on.start({ resume: id })).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  });

  it('resumeSessionAt: what was said after that answer is gone, and the id stays', async () => {
    const on = await stage();
    const { id, answers } = await said(on, 'remember the lamp', 'forget the table');
    const session = await on.start({ resume: id, resumeSessionAt: answers[0] ?? '' });
    await session.prompt('go on').result;

    expect(session.conversationId).toBe(id);
    expect(shown(on)).toContain('remember the lamp');
    expect(shown(on)).not.toContain('forget the table');
  });

  it('resumeDropsTurn: accepted when only that turn is dropped, refused otherwise, unknown to 2.1.197', async () => {
    const on = await stage();
    const { id, prompts, answers } = await said(on, 'remember the lamp', 'forget the table');
    const cut = { resume: id, resumeSessionAt: answers[0] ?? '' };
    if (!on.cli.since('2.1.231')) {
      const refusal = await on.start({ ...cut, resumeDropsTurn: prompts[1] ?? '' }).catch((error: unknown) => error);
      expect(String(refusal)).toContain('--resume-drops-turn');
      return;
    }
    const wrong = await on.start({ ...cut, resumeDropsTurn: prompts[0] ?? '' }).catch((error: unknown) => error);
    expect(String(wrong)).toContain('Resume rejected by --resume-drops-turn');

    const session = await on.start({ ...cut, resumeDropsTurn: prompts[1] ?? '' });
    await session.prompt('go on').result;
    expect(session.conversationId).toBe(id);
    expect(shown(on)).toContain('remember the lamp');
    expect(shown(on)).not.toContain('forget the table');
  });

  it('resume from another folder: found by newer releases, unknown to 2.1.197 (WIRE §23)', async () => {
    const on = await stage();
    const { id } = await said(on, 'remember the lamp');
    const elsewhere = on.start({ resume: id, cwd: on.configDir });
    if (on.cli.since('2.1.220')) {
      await (await elsewhere).prompt('go on').result;
      expect(shown(on)).toContain('remember the lamp');
    } else {
      await expect(elsewhere).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
    }
  });
});
