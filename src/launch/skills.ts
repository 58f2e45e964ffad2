import type { SessionOptions } from './session-options.ts';

/** What is wrong with the name of a skill: it becomes part of a permission rule, which must not say anything else (R95). */
export function skillNameFault(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name !== name.trim()) return 'must not begin or end with a blank';
  if (name.startsWith('/') || name.startsWith('-')) return 'must not start with "/" or "-"';
  if (/[()*,\\]/.test(name)) return 'must not contain ( ) * , or a backslash';
  // Also the byte order mark and the direction marks, which nobody sees.
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return 'must not contain invisible characters';
  return undefined;
}

/** The tools that may run without a question: those of the caller and what `skills` adds, each once. */
export function allowedToolsOf({ allowedTools, skills }: SessionOptions): readonly string[] | undefined {
  if (skills === undefined || skills.length === 0) return allowedTools;
  const rules = skills === 'all' ? ['Skill'] : skills.map((name) => `Skill(${name})`);
  return [...new Set([...(allowedTools ?? []), ...rules])];
}

/** Where settings come from. Skills lie in the folders of the user and the project, so they need those two. */
export function settingSourcesOf({ settingSources, skills }: SessionOptions): readonly string[] {
  return settingSources ?? (skills === undefined ? [] : ['user', 'project']);
}
