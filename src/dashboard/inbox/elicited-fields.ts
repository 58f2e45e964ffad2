/** One field that an MCP server asks for. */
export interface ElicitedField {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
}

/** The fields of the schema of an elicitation: flat, of simple types. */
export function elicitedFields(input: unknown): ElicitedField[] {
  const schema = recordIn(input, 'requestedSchema');
  const properties = recordIn(schema, 'properties');
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  return Object.entries(properties ?? {}).map(([name, property]) => {
    const one = isRecord(property) ? property : {};
    const choices = Array.isArray(one['enum']) ? one['enum'].filter((choice) => typeof choice === 'string') : [];
    const type = one['type'];
    const simple = type === 'number' || type === 'integer' || type === 'boolean' ? type : 'text';
    return {
      name,
      label: typeof one['title'] === 'string' ? one['title'] : name,
      hint: typeof one['description'] === 'string' ? one['description'] : undefined,
      kind: choices.length > 0 ? 'choice' : simple,
      choices,
      isRequired: required.includes(name),
    };
  });
}

/** What was entered, as the server wants it. What is empty and not required is left out. */
export function elicitedContent(
  fields: readonly ElicitedField[],
  entered: Readonly<Record<string, string>>,
): { readonly content: Readonly<Record<string, unknown>> } | { readonly fault: string } {
  const content: [string, unknown][] = [];
  for (const { name, label, kind, isRequired } of fields) {
    const text = (Object.hasOwn(entered, name) ? entered[name] : undefined) ?? '';
    if (kind === 'boolean') content.push([name, text === 'true']);
    else if (text === '') {
      if (isRequired) return { fault: `${label} is required.` };
    } else if (kind === 'number' || kind === 'integer') {
      const number = Number(text);
      if (!Number.isFinite(number)) return { fault: `${label} must be a number.` };
      if (kind === 'integer' && !Number.isInteger(number)) return { fault: `${label} must be a whole number.` };
      content.push([name, number]);
    } else content.push([name, text]);
  }
  return { content: Object.fromEntries(content) };
}

function recordIn(value: unknown, name: string): Readonly<Record<string, unknown>> | undefined {
  const inner = isRecord(value) ? value[name] : undefined;
  return isRecord(inner) ? inner : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
