import type { FakeClaude } from '../../src/testing/fake-cli/fake-claude.ts';

/** What the CLIs did, as they say themselves. */
export interface Executions {
  /** Turns that were worked through to their end, by the token of their prompt. */
  readonly turns: ReadonlyMap<string, number>;
  /** Tools that ran. */
  readonly tools: ReadonlyMap<string, number>;
  /** Answers to questions, in the order in which they came. */
  readonly decisions: readonly { readonly token: string; readonly nonce: string; readonly behavior: string }[];
  /** What a host must not do. */
  readonly violations: readonly string[];
  /** Work that nobody gave. */
  readonly strange: readonly string[];
}

/** Reads the journal of the fake CLI, which all its processes write to. */
export async function executionsOf(fake: FakeClaude, tokens: ReadonlySet<string>): Promise<Executions> {
  const [turns, tools] = [new Map<string, number>(), new Map<string, number>()];
  const decisions: Executions['decisions'][number][] = [];
  const violations: string[] = [];
  const strange: string[] = [];
  const tokenIn = (text: string): string => {
    const token = tokenOf(text);
    if (tokens.has(token)) return token;
    strange.push(text);
    return token;
  };
  for (const entry of await fake.journal()) {
    if (entry.kind === 'prompt') {
      const token = tokenIn(entry.text);
      if (entry.state === 'completed') count(turns, token);
    }
    if (entry.kind === 'tool') count(tools, tokenIn(JSON.stringify(entry.input)));
    if (entry.kind === 'violation') violations.push(`${entry.violation}: ${entry.detail}`);
    if (entry.kind !== 'decision') continue;
    const answer = JSON.stringify(entry.answer);
    const behavior = (entry.answer as { behavior?: unknown }).behavior;
    decisions.push({ token: tokenIn(JSON.stringify(entry.input)), nonce: nonceOf(answer), behavior: String(behavior) });
  }
  return { turns, tools, decisions, violations, strange };
}

/** Reads what the tools of the real CLI wrote, a line for each: the token, and the nonce of the answer that let it run. */
export function executionsIn(text: string, tokens: ReadonlySet<string>): Executions {
  const tools = new Map<string, number>();
  const decisions: Executions['decisions'][number][] = [];
  const strange: string[] = [];
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const token = tokenOf(line);
    if (!tokens.has(token)) strange.push(line);
    count(tools, token);
    decisions.push({ token, nonce: nonceOf(line), behavior: 'allow' });
  }
  return { turns: new Map(), tools, decisions, violations: [], strange };
}

function tokenOf(text: string): string {
  return /\bt\d+x\d+\b/.exec(text)?.[0] ?? '';
}

function nonceOf(text: string): string {
  return /\bn\d+\b/.exec(text)?.[0] ?? '';
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
