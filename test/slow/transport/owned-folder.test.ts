import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endGuardedNow } from '../../../src/transport/exit-guard.ts';
import { guardOwnFolders, ownedFolderPrefix, removeAbandonedFolders } from '../../../src/transport/owned-folder.ts';

const OWN = ownedFolderPrefix('troupe-');
/** No process has this pid: they end at 2^22. */
const LOST = OWN.replace(/h\d+\./, 'h5000000.');

describe('folders of a host that is gone (P11)', () => {
  it('are removed with what is in them', async () => {
    const parent = place([`${LOST}aaa`, `${LOST.replace('troupe-', 'troupe-resume-')}bbb`]);
    writeFileSync(join(parent, `${LOST}aaa`, 'settings.json'), 'secret');
    expect(await removeAbandonedFolders(parent)).toHaveLength(2);
    expect(readdirSync(parent)).toEqual([]);
  });

  it('are those of a pid that somebody else has now', async () => {
    const parent = place([OWN.replace(/\.\d+\./, '.1.')]);
    expect(await removeAbandonedFolders(parent)).toHaveLength(1);
  });

  it.each([
    ['of a living host', `${OWN}ccc`],
    ['of another place, where the pid means somebody else', LOST.replace(/[0-9a-f]{12}-$/, '000000000000-')],
    ['that names no host', 'troupe-abcdef'],
    ['of another program', LOST.replace('troupe-', 'other-')],
  ])('are not one %s', async (_case, name) => {
    const parent = place([name]);
    expect(await removeAbandonedFolders(parent)).toEqual([]);
    expect(readdirSync(parent)).toEqual([name]);
  });

  it('are no files and no links, whose names prove nothing', async () => {
    const parent = place(['target']);
    symlinkSync(join(parent, 'target'), join(parent, `${LOST}link`));
    writeFileSync(join(parent, `${LOST}file`), '');
    expect(await removeAbandonedFolders(parent)).toEqual([]);
    expect(readdirSync(parent)).toHaveLength(3);
  });

  it('may be looked for where there is nothing', async () => {
    expect(await removeAbandonedFolders('/no/such/folder')).toEqual([]);
  });
});

describe('folders of a host that exits', () => {
  it('go with it while they are guarded, and only its own', () => {
    const parent = place([`${OWN}ddd`, `${OWN.replace('troupe-', 'troupe-resume-')}eee`, `${LOST}fff`]);
    const unguard = guardOwnFolders(() => parent);
    onTestFinished(unguard);
    endGuardedNow();
    expect(readdirSync(parent)).toEqual([`${LOST}fff`]);
  });

  it('stay when the guard was lifted', () => {
    const parent = place([`${OWN}ggg`]);
    guardOwnFolders(() => parent)();
    endGuardedNow();
    expect(existsSync(join(parent, `${OWN}ggg`))).toBe(true);
  });
});

function place(names: readonly string[]): string {
  const parent = mkdtempSync(join(tmpdir(), 'owned-folder-'));
  for (const name of names) mkdirSync(join(parent, name));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return parent;
}
