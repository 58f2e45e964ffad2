/** Longest list of rules written on the command line, in bytes; a longer one goes into the settings file (R94). */
export const MAX_RULE_LIST_BYTES = 64 * 1024;

/**
 * What is wrong with a tool name or permission rule, or undefined. The CLI splits its lists at commas and blanks outside
 * parentheses, and takes the first `)` for the end however many were opened, so a rule like `Bash(echo (a), Read)` would
 * become two (R95; measured with `list_permission_rules` of 2.1.332).
 */
export function toolRuleFault(rule: string): string | undefined {
  if (rule === '') return 'must not be empty';
  if (rule.startsWith('-')) return 'must not start with "-"';
  if (/\p{Cc}/u.test(rule)) return 'must not contain control characters or line breaks';
  let isInside = false;
  for (const character of rule) {
    if (character === '(') isInside = true;
    else if (character === ')') isInside = false;
    else if (!isInside && character === ',') return 'must not contain a comma outside parentheses';
    else if (!isInside && /\s/.test(character)) return 'must not contain a blank outside parentheses';
  }
  return isInside ? 'must close its parentheses' : undefined;
}

/** The rules as the CLI reads them from one argument. */
export function ruleListText(rules: readonly string[]): string {
  return rules.join(',');
}

/** True for a list that is too long for the command line. */
export function isLongRuleList(rules: readonly string[] = []): boolean {
  return Buffer.byteLength(ruleListText(rules)) > MAX_RULE_LIST_BYTES;
}
