import { execFile } from 'node:child_process';
import type { TreeReport } from './transport.ts';

/**
 * Ends a process and its descendants with `taskkill`, which walks the parent links once. A root that has already ended
 * is not found any more, and neither is what it left behind: Windows has no marks and no process groups to go by.
 */
export function endWindowsTree(root: { readonly pid: number; isAlive(): boolean }): Promise<TreeReport> {
  if (!root.isAlive()) return Promise.resolve({ killed: [], survivors: [] });
  return new Promise((resolve) => {
    execFile('taskkill', ['/T', '/F', '/PID', String(root.pid)], { windowsHide: true }, (error) => {
      resolve(error && root.isAlive() ? { killed: [], survivors: [root.pid] } : { killed: [root.pid], survivors: [] });
    });
  });
}
