import { readFileSync } from 'node:fs';

/** What a process passes on to those it starts, as the kernel names it in `status`. */
const INHERITED = /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp\w*|Cpus_allowed|Mems_allowed):.*$/gm;

/**
 * Everything that a process started now would inherit from this one beside what it is given: user, groups, rights, file mode
 * mask, processors, limits, control group. Two equal texts mean that it makes no difference when it is started. Linux only.
 */
export function readInheritance(): string {
  const status = read('status').match(INHERITED) ?? [];
  return [...status, read('limits'), read('cgroup'), read('oom_score_adj')].join('\n');
}

function read(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'latin1');
  } catch {
    return '';
  }
}
