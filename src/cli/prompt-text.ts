import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';

const MAX_STDIN_BYTES = 16 * 2 ** 20;

/** The prompt as it was given, or what stands on standard input. Rejects where it is empty. */
export async function promptText(argument: string | undefined): Promise<string> {
  const prompt = argument === undefined || argument === '-' ? await readStandardInput(argument) : argument;
  if (prompt.trim() === '') throw new CommanderError(EXIT.usage, 'troupe.prompt', 'the prompt is empty');
  return prompt;
}

async function readStandardInput(argument: string | undefined): Promise<string> {
  if (argument === undefined && process.stdin.isTTY === true) {
    throw new CommanderError(EXIT.usage, 'troupe.prompt', 'a prompt is missing');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_STDIN_BYTES) {
      throw new CommanderError(EXIT.usage, 'troupe.prompt', `standard input has more than ${MAX_STDIN_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
