import { createInterface } from 'node:readline/promises';
import type { CanUseTool } from '../../permissions/permission-desk.ts';

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

const SHOWN_CHARACTERS = 400;

/** Asks the person at the terminal before each tool. One question at a time: parallel ones wait in line. */
export function askOnTerminal({ input, output }: Terminal): CanUseTool {
  let line: Promise<unknown> = Promise.resolve();
  return (toolName, toolInput, { signal, suggestions }) => {
    const answer = line.then(async () => {
      if (signal.aborted) return { behavior: 'deny' as const, message: 'The question was taken back.' };
      const shown = JSON.stringify(toolInput).slice(0, SHOWN_CHARACTERS);
      const reader = createInterface({ input, output });
      try {
        const choices = suggestions !== undefined && suggestions.length > 0 ? '[y]es, [a]lways, [N]o' : '[y]es, [N]o';
        const reply = await reader.question(`\nAllow ${toolName} ${shown}? ${choices} `, { signal });
        return decide(reply.trim().toLowerCase(), suggestions);
      } finally {
        reader.close();
      }
    });
    line = answer.catch(() => {});
    return answer;
  };
}

type Suggestions = Parameters<CanUseTool>[2]['suggestions'];

function decide(reply: string, suggestions: Suggestions): Awaited<ReturnType<CanUseTool>> {
  if (reply === 'y' || reply === 'yes') return { behavior: 'allow' };
  if ((reply === 'a' || reply === 'always') && suggestions !== undefined) {
    return { behavior: 'allow', updatedPermissions: suggestions };
  }
  return { behavior: 'deny', message: 'The user refused this tool call.' };
}
