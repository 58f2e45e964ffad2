import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getSessionInfo, listSessions } from '../../src/conversations/list-sessions.ts';
import { plainKey, projectKeyOf } from '../../src/conversations/project-key.ts';
import { answer, idOf, linesOf, prompt, transcriptDisk } from './transcript-disk.ts';

describe('listing conversations (R103)', () => {
  it('returns all projects, newest first, with what the ends of the files say', async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv-app/${idOf(1)}.jsonl`, [prompt(1, 'Older'), answer(2, 'Yes')], 20);
    write(`-srv-web/${idOf(2)}.jsonl`, [prompt(1, 'Newer', { gitBranch: 'main', cwd: '/srv/web' })], 10);
    const [newer, older] = await listSessions({ configDir });

    expect(older).toMatchObject({
      sessionId: idOf(1),
      summary: 'Older',
      cwd: '/srv/app',
      createdAt: 1_700_000_001_000,
    });
    expect(newer).toMatchObject({ sessionId: idOf(2), firstPrompt: 'Newer', gitBranch: 'main' });
    expect(Number.isInteger(newer?.lastModified)).toBe(true);
    expect(newer?.fileSize).toBeGreaterThan(0);
  });

  it('passes over what is no transcript: foreign names, empty files, links, folders, sidechains, nothing to name it by', async () => {
    const { configDir, root, write } = transcriptDisk();
    const rows = [prompt(1, 'Hello')];
    write(`-srv/${idOf(1)}.jsonl`, rows);
    const outside = write('../outside.jsonl', rows);
    write('-srv/notes.jsonl', rows);
    write(`-srv/${idOf(2)}.jsonl.bak`, rows);
    write(`-srv/${idOf(3)}.jsonl`, '');
    write(`-srv/agent-${idOf(4)}.jsonl`, rows);
    write(`-srv/${idOf(5)}.jsonl`, [prompt(1, 'Aside', { isSidechain: true })]);
    write(`-srv/${idOf(6)}.jsonl`, [{ type: 'mode', mode: 'default' }]);
    write(`-srv/${idOf(7)}.jsonl`, 'no JSON at all\n\u0000\u0000\n');
    write('stray.jsonl', rows);
    mkdirSync(join(configDir, 'projects', '-srv', `${idOf(8)}.jsonl`));
    symlinkSync(outside, join(configDir, 'projects', '-srv', `${idOf(9)}.jsonl`));
    symlinkSync(root, join(configDir, 'projects', '-linked'));

    expect((await listSessions({ configDir })).map(({ sessionId }) => sessionId)).toEqual([idOf(1)]);
    for (const number of [2, 3, 5, 6, 7, 8, 9]) {
      expect(await getSessionInfo(idOf(number), { configDir })).toBeUndefined();
    }
  });

  it('is empty where there is no folder', async () => {
    expect(await listSessions({ configDir: join(transcriptDisk().root, 'none') })).toEqual([]);
  });

  it('reads 64 KiB of each end, whatever is between: a file of 1 TiB is listed like any other', async () => {
    const { configDir, write } = transcriptDisk();
    const path = write(`-srv/${idOf(1)}.jsonl`, [prompt(1, 'At the start'), { type: 'tag', tag: 'early' }]);
    // Sparse: it takes no room, and reading it whole would take hours.
    truncateSync(path, 2 ** 40);

    const [info] = await listSessions({ configDir });
    expect(info).toMatchObject({ firstPrompt: 'At the start', fileSize: 2 ** 40 });
  });

  it('finds the newest title and branch at the end of a long file, and the first prompt at its start', async () => {
    const { configDir, write } = transcriptDisk();
    const filler = Array.from({ length: 300 }, (_, index) => answer(index + 2, 'x'.repeat(1_000)));
    const end = [{ type: 'custom-title', customTitle: 'The title' }, prompt(400, 'The last', { gitBranch: 'later' })];
    write(`-srv/${idOf(1)}.jsonl`, [prompt(1, 'The first', { gitBranch: 'main' }), ...filler, ...end]);

    expect(await getSessionInfo(idOf(1), { configDir })).toMatchObject({
      summary: 'The title',
      firstPrompt: 'The first',
      gitBranch: 'later',
    });
  });

  it('reads around a corrupt line and a line that was cut by a crash', async () => {
    const { configDir, write } = transcriptDisk();
    const text = linesOf([prompt(1, 'Hello'), { type: 'tag', tag: 'blue' }]);
    write(`-srv/${idOf(1)}.jsonl`, `{"type":"us\n[1,2]\n"text"\n\n${text}{"type":"assistant","mess`);

    expect(await listSessions({ configDir })).toMatchObject([{ summary: 'Hello', tag: 'blue' }]);
  });

  it('pages with limit and offset, and opens no more files than the page needs', async () => {
    const { configDir, write } = transcriptDisk();
    for (let number = 1; number <= 5; number += 1) {
      write(`-srv/${idOf(number)}.jsonl`, [prompt(1, `Number ${number}`)], number * 10);
    }
    const listed = async (page: { limit?: number; offset?: number }) =>
      (await listSessions({ configDir, ...page })).map(({ summary }) => summary.slice(-1)).join('');

    expect(await listed({})).toBe('12345');
    expect(await listed({ limit: 2 })).toBe('12');
    expect(await listed({ limit: 2, offset: 3 })).toBe('45');
    expect(await listed({ offset: 4 })).toBe('5');
    expect(await listed({ offset: 9 })).toBe('');
    // As the official SDK has it.
    expect(await listed({ limit: 0 })).toBe('12345');
  });

  it('breaks ties of time by id, so that pages never overlap', async () => {
    const { configDir, write } = transcriptDisk();
    for (const number of [3, 1, 2]) write(`-srv/${idOf(number)}.jsonl`, [prompt(1, 'Hello')], 1_000_000_000);
    const all = (await listSessions({ configDir })).map(({ sessionId }) => sessionId);
    const [first] = await listSessions({ configDir, limit: 1 });
    const [second] = await listSessions({ configDir, limit: 1, offset: 1 });

    expect([first?.sessionId, second?.sessionId]).toEqual(all.slice(0, 2));
    expect(new Set(all).size).toBe(3);
  });

  it('shows a conversation that lies in two projects once, where it is newer', async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv-old/${idOf(1)}.jsonl`, [prompt(1, 'Old place')], 100);
    write(`-srv-new/${idOf(1)}.jsonl`, [prompt(1, 'New place')], 1);

    expect(await listSessions({ configDir })).toMatchObject([{ summary: 'New place' }]);
  });

  it('shows where a conversation went on, not where it stopped', async () => {
    const { configDir, write } = transcriptDisk();
    const moved = { type: 'continued-in', continuedInSessionId: idOf(2) };
    write(`-srv/${idOf(1)}.jsonl`, [prompt(1, 'Before'), moved], 20);
    write(`-srv/${idOf(2)}.jsonl`, [prompt(1, 'After')], 10);
    write(`-srv/${idOf(3)}.jsonl`, [prompt(1, 'Alone'), { ...moved, continuedInSessionId: '../../etc/passwd' }], 30);

    expect((await listSessions({ configDir })).map(({ summary }) => summary)).toEqual(['After', 'Alone']);
  });

  it('leaves out what programs held when asked to', async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, [prompt(1, 'A person', { entrypoint: 'cli' })], 10);
    write(`-srv/${idOf(2)}.jsonl`, [prompt(1, 'A program', { entrypoint: 'sdk-ts' })], 20);
    write(`-srv/${idOf(3)}.jsonl`, [prompt(1, 'A daemon', { sessionKind: 'daemon' })], 30);

    expect(await listSessions({ configDir })).toHaveLength(3);
    expect(await listSessions({ configDir, includeProgrammatic: false })).toMatchObject([{ summary: 'A person' }]);
  });
});

describe('the conversations of one directory', () => {
  it('are those of its real path', async () => {
    const { root, configDir, write } = transcriptDisk();
    const real = join(root, 'Café');
    mkdirSync(real);
    symlinkSync(real, join(root, 'link'));
    write(`${projectKeyOf(real)}/${idOf(1)}.jsonl`, [prompt(1, 'Here', { cwd: real })]);
    write(`-elsewhere/${idOf(2)}.jsonl`, [prompt(1, 'There')]);

    for (const dir of [real, join(root, 'link'), `${real}/../link/`]) {
      expect(await listSessions({ configDir, dir })).toMatchObject([{ summary: 'Here' }]);
    }
    expect(await listSessions({ configDir, dir: join(root, 'none') })).toEqual([]);
    expect(await getSessionInfo(idOf(2), { configDir, dir: real })).toBeUndefined();
  });

  it.each(['NFC', 'NFD'])('are found whichever way the CLI spelled the letters of the path: %s', async (form) => {
    const { root, configDir, write } = transcriptDisk();
    const dir = join(root, 'Café'.normalize('NFD'));
    mkdirSync(dir);
    write(`${projectKeyOf(dir.normalize(form))}/${idOf(1)}.jsonl`, [prompt(1, 'Here', { cwd: dir.normalize(form) })]);
    expect(await listSessions({ configDir, dir })).toMatchObject([{ summary: 'Here' }]);
  });

  it('are not those of another path with the same folder name', async () => {
    const { root, configDir, write } = transcriptDisk();
    const [own, other] = [join(root, 'a-b'), join(root, 'a', 'b')];
    for (const path of [own, other]) mkdirSync(path, { recursive: true });
    expect(projectKeyOf(own)).toBe(projectKeyOf(other));
    write(`${projectKeyOf(own)}/${idOf(1)}.jsonl`, [prompt(1, 'Own', { cwd: own })]);
    write(`${projectKeyOf(own)}/${idOf(2)}.jsonl`, [prompt(1, 'Other', { cwd: other })]);

    expect(await listSessions({ configDir, dir: own })).toMatchObject([{ summary: 'Own' }]);
    expect(await listSessions({ configDir, dir: other })).toMatchObject([{ summary: 'Other' }]);
  });

  it('are found under whatever hash the CLI gave a long path, and those of a longer path beside it are not', async () => {
    const { root, configDir, write } = transcriptDisk();
    const dir = join(root, 'x'.repeat(220));
    const deeper = `${dir}-deeper`;
    const start = plainKey(dir).slice(0, 200);
    write(`${start}-h4sh/${idOf(1)}.jsonl`, [prompt(1, 'Own', { cwd: dir })]);
    write(`${start}-0ther/${idOf(2)}.jsonl`, [prompt(1, 'Deeper', { cwd: deeper })]);

    expect(await listSessions({ configDir, dir })).toMatchObject([{ summary: 'Own' }]);
    expect(await listSessions({ configDir, dir: deeper })).toMatchObject([{ summary: 'Deeper' }]);
  });
});

describe('where the configuration is', () => {
  it('is a relative path from the cwd of the host, too', async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, [prompt(1, 'Hello')]);
    const relative = join(
      ...process
        .cwd()
        .split('/')
        .map(() => '..'),
      configDir,
    );

    expect(await listSessions({ configDir: relative })).toHaveLength(1);
  });
});

describe('arguments', () => {
  it.each([
    [{ limit: -1 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ offset: Number.NaN }, 'offset'],
    [{ configDir: '' }, 'configDir'],
    [{ dir: '' }, 'dir'],
    [{ directory: '/srv' }, 'directory'],
    [{ sessionStore: {} }, 'sessionStore'],
    [{ includeWorktrees: 'yes' }, 'includeWorktrees'],
  ])('%j are refused with the field', async (options, field) => {
    await expect(listSessions(options as object)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field },
    });
  });

  it.each(['', 'x', '../../../etc/passwd', `${idOf(1)}/../${idOf(1)}`, `${idOf(1)}\u0000`, ` ${idOf(1)}`])(
    'an id that is no UUID, %j, is never looked for',
    async (sessionId) => {
      const { configDir, write } = transcriptDisk();
      write(`-srv/${idOf(1)}.jsonl`, [prompt(1, 'Hello')]);
      expect(await getSessionInfo(sessionId, { configDir })).toBeUndefined();
    },
  );
});
