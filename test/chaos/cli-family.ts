import type { Behaviour } from './chaos-plan.ts';

/** Forks of a storm; each sleeps. */
const STORM_FORKS = 50;

/**
 * A shell script that starts the relatives of a CLI and then becomes the CLI. The relatives sleep for `seconds`, a number
 * that no other run uses: by it they are known, also where they dropped their mark.
 */
export function familyScript(behaviour: Behaviour, cli: string, seconds: string): string {
  const sleep = `sleep ${seconds}`;
  return ['#!/bin/sh', ...relatives(behaviour, sleep), `exec '${cli}' "$@"`, ''].join('\n');
}

function relatives(behaviour: Behaviour, sleep: string): readonly string[] {
  const silent = '</dev/null >/dev/null 2>&1';
  switch (behaviour) {
    case 'plain':
    case 'real':
      return [];
    case 'deaf':
      return [`( trap '' TERM HUP INT; exec ${sleep} ) ${silent} &`];
    case 'daemon':
      // Forked twice: neither parent nor group nor session leads back to the CLI.
      return [`( setsid sh -c '${sleep} & ${sleep}' & ) ${silent}`];
    case 'naked':
      // Without a mark, but with a relative that has one: nothing else leads to them when the CLI has ended by itself.
      return [
        `sh -c 'env -i ${sleep} & wait' ${silent} &`,
        `( setsid sh -c 'env -i setsid ${sleep} & wait' & ) ${silent}`,
      ];
    case 'holder':
      return [`setsid ${sleep} &`];
    case 'storm': {
      const forks = `i=0; while [ $i -lt ${STORM_FORKS} ]; do ${sleep} & i=$((i+1)); sleep 0.02; done; wait`;
      return [`( setsid sh -c '${forks}' & ) ${silent}`];
    }
  }
}
