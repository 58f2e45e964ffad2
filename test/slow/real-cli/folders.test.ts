import { mkdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stage, statesOf } from './stage.ts';
import { recorded } from './transcript-of.ts';

const RESTART = { type: 'transient', intensity: 10, backoff: { minMs: 10, maxMs: 20 } } as const;
/** Longer than the CLI keeps in the name of a project, with spaces and letters of other scripts. */
const NAME = `${'worktree of 日本 '.repeat(11)}ü`;

describe('a conversation whose working directory is gone (R71)', () => {
  it('sets its session aside at once, as a missing folder and not as a missing conversation, and goes on where the folder is there again', async () => {
    const { start, cwd, configDir } = await stage();
    const folder = join(cwd, NAME);
    await mkdir(folder);
    const session = await start({ cwd: folder, restart: RESTART });
    await session.prompt('remember the lamp').result;
    await recorded(configDir, 'Echo: remember the lamp');
    await rename(folder, `${folder}-away`);
    process.kill(session.pid ?? 0, 'SIGKILL');
    await expect.poll(() => session.state).toBe('quarantined');

    const { failures, lastFailure, advice } = session.explain();
    expect(failures.map(({ code }) => code)).toEqual(['CLI_EXITED', 'CWD_NOT_FOUND']);
    expect(lastFailure?.message).toContain(folder);
    expect(advice).toContain('restart()');
    expect(statesOf(session).filter((state) => state === 'backing-off')).toHaveLength(1);
    await rename(`${folder}-away`, folder);
    session.restart();
    const { conversationId } = session;
    expect((await session.prompt('and now?').result).outcome).toBe('completed');
    expect(session.conversationId).toBe(conversationId);
  });

  it('goes on in another folder, or says that this release looks for it in its own', async () => {
    const { start, supervisor, cwd, configDir, cli, model } = await stage();
    const [folder, other] = [join(cwd, 'first'), join(cwd, 'other')];
    await Promise.all([mkdir(folder), mkdir(other)]);
    const session = await start({ cwd: folder });
    await session.prompt('remember the lamp').result;
    await recorded(configDir, 'Echo: remember the lamp');
    const { conversationId: resume = '' } = session;
    await session.close();
    await rm(folder, { recursive: true });

    await expect(start({ cwd: folder, resume })).rejects.toMatchObject({ code: 'CWD_NOT_FOUND' });
    const next = start({ cwd: other, resume });
    if (!cli.since('2.1.220')) {
      await expect(next).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
    } else {
      expect((await (await next).prompt('and now?').result).outcome).toBe('completed');
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('remember the lamp');
    }
    expect(supervisor.list()).toHaveLength(cli.since('2.1.220') ? 1 : 0);
  });

  it('is found through a link as through the folder itself', async () => {
    const { start, cwd, configDir, model } = await stage();
    const [folder, link] = [join(cwd, 'folder'), join(cwd, 'link')];
    await mkdir(folder);
    await symlink(await realpath(folder), link);
    const session = await start({ cwd: link });
    await session.prompt('remember the lamp').result;
    await recorded(configDir, 'Echo: remember the lamp');
    const { conversationId: resume = '' } = session;
    await session.close();

    const next = await start({ cwd: folder, resume });
    expect((await next.prompt('and now?').result).outcome).toBe('completed');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('remember the lamp');
  });
});
