/** Input that somebody changed: what it is now, or what is wrong with it. */
export type EditedInput = { readonly input: Readonly<Record<string, unknown>> } | { readonly fault: string };

/** Reads the text of an input that was edited; a tool takes an object and nothing else. */
export function editedInput(text: string): EditedInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `This is no JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
  if (!isRecord(value)) return { fault: 'A tool takes an object, in braces.' };
  return { input: value };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The rules that the CLI offers to remember, in the form `Tool(argument)`. */
export function offeredRules(suggestions: readonly unknown[] = []): string[] {
  return suggestions.flatMap((suggestion) => {
    if (!isRecord(suggestion) || suggestion['type'] !== 'addRules' || suggestion['behavior'] !== 'allow') return [];
    const { rules } = suggestion;
    if (!Array.isArray(rules)) return [];
    return rules.flatMap((rule: unknown) => {
      if (!isRecord(rule) || typeof rule['toolName'] !== 'string') return [];
      const { toolName, ruleContent } = rule;
      return [typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : toolName];
    });
  });
}
