import { createInterface, type Interface } from 'node:readline/promises';
import type { CanUseTool } from '../../permissions/can-use-tool.ts';
import { plainLine } from '../terminal/plain-text.ts';

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Called at a Ctrl-C while a question is open: the terminal sends no signal then. */
  readonly interrupt: () => void;
}

const SHOWN_CHARACTERS = 400;

/** Asks the person at the terminal before each tool. One question at a time: parallel ones wait in line. */
export function askOnTerminal({ input, output, interrupt }: Terminal): CanUseTool {
  let line: Promise<unknown> = Promise.resolve();
  return (toolName, toolInput, { signal, suggestions }) => {
    const answer = line.then(async () => {
      if (signal.aborted) return { behavior: 'deny' as const, message: 'The question was taken back.' };
      const reader = createInterface({ input, output });
      reader.on('SIGINT', interrupt);
      try {
        const choices = suggestions !== undefined && suggestions.length > 0 ? '[y]es, [a]lways, [N]o' : '[y]es, [N]o';
        const reply = await ask(reader, `\nAllow ${plainLine(toolName)} ${shown(toolInput)}? ${choices} `, signal);
        return decide(reply.trim().toLowerCase(), suggestions);
      } finally {
        reader.close();
      }
    });
    line = answer.catch(() => {});
    return answer;
  };
}

/** Rejects when the question is taken back; at the end of the input (Ctrl-D) no answer will come, and that is a no. */
function ask(reader: Interface, question: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    reader.once('close', () => resolve(''));
    reader.question(question, { signal }).then(resolve, (error: unknown) => {
      if (signal.aborted) reject(error);
      else resolve('');
    });
  });
}

/** A cut that does not show would hide what a long command does at its end. */
function shown(toolInput: Record<string, unknown>): string {
  const text = plainLine(JSON.stringify(toolInput));
  const hidden = text.length - SHOWN_CHARACTERS;
  return hidden > 0 ? `${text.slice(0, SHOWN_CHARACTERS)}… (+${hidden} characters)` : text;
}

type Suggestions = Parameters<CanUseTool>[2]['suggestions'];

function decide(reply: string, suggestions: Suggestions): Awaited<ReturnType<CanUseTool>> {
  if (reply === 'y' || reply === 'yes') return { behavior: 'allow' };
  if ((reply === 'a' || reply === 'always') && suggestions !== undefined) {
    return { behavior: 'allow', updatedPermissions: suggestions };
  }
  return { behavior: 'deny', message: 'The user refused this tool call.' };
}
