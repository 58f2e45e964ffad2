/** What decides before anybody is asked. */
export interface StandingPermissions {
  readonly allowedTools?: readonly string[] | undefined;
  readonly permissionMode?: string | undefined;
}

/**
 * The tools `canUseTool` will never be asked about, because something allows them beforehand: whole-tool rules, or every
 * tool in bypass mode (R40). Rules with an argument leave the rest of their tool to be asked about.
 */
export function shadowedTools(standing: StandingPermissions): readonly string[] {
  if (standing.permissionMode === 'bypassPermissions') return ['*'];
  const wholeTools = (standing.allowedTools ?? []).map((rule) => rule.trim()).filter((rule) => !rule.includes('('));
  return [...new Set(wholeTools)];
}
