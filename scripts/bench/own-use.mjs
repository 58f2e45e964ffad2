import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the benchmark itself starts in Node. */
const OWN = dirname(fileURLToPath(import.meta.url));

/** CPU of this process in microseconds, with all its threads and the processes of Node that it keeps to do its work. */
export function cpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system + ofHelpers(cpuOf);
}

/** Resident bytes of this process and of those. */
export function residentBytes() {
  return process.memoryUsage.rss() + ofHelpers(residentOf);
}

/** A CLI is no helper: it runs another program. Where there is no /proc, none is found. */
function ofHelpers(measured) {
  try {
    return childrenOf(process.pid)
      .filter((pid) => readlinkSync(`/proc/${pid}/exe`) === process.execPath)
      .filter((pid) => !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(OWN))
      .reduce((sum, pid) => sum + measured(pid), 0);
  } catch {
    return 0;
  }
}

function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ');
  });
}

function cpuOf(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1e3;
  }, 0);
}

function residentOf(pid) {
  const [, kilobytes] = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/);
  return Number(kilobytes) * 1024;
}
