import { type Signal, useSignal } from '@preact/signals';
import { type ElicitedField, elicitedContent, elicitedFields } from './elicited-fields.ts';
import type { Answer } from './question-card.tsx';

interface ElicitationFormOptions {
  readonly input: unknown;
  readonly answer: Answer;
  readonly isSent: Signal<boolean>;
}

/** What an MCP server wants to know. */
export function ElicitationForm({ input, answer, isSent }: ElicitationFormOptions) {
  const entered = useSignal<Readonly<Record<string, string>>>({});
  const fault = useSignal<string | undefined>(undefined);
  const fields = elicitedFields(input);
  const { message, serverName, url } = wordsOf(input);
  return (
    <form
      class="answers"
      onSubmit={(event) => {
        event.preventDefault();
        const read = elicitedContent(fields, entered.value);
        fault.value = 'fault' in read ? read.fault : undefined;
        if ('content' in read) void answer({ action: 'accept', content: read.content });
      }}
    >
      <p>{message}</p>
      <p class="muted">{`The MCP server ${serverName} asks.`}</p>
      {url !== undefined && <p>{`It wants you to visit ${url}`}</p>}
      {fields.map((field) => (
        <label key={field.name} htmlFor={`elicited-${field.name}`}>
          {field.label}
          {field.isRequired ? ' *' : ''}
          <Field
            field={field}
            value={entered.value[field.name] ?? ''}
            enter={(value) => {
              entered.value = { ...entered.value, [field.name]: value };
            }}
          />
          {field.hint !== undefined && <span class="muted">{field.hint}</span>}
        </label>
      ))}
      {fault.value !== undefined && (
        <p class="bad" role="alert">
          {fault.value}
        </p>
      )}
      <div class="answer-buttons">
        <button type="submit" class="primary" disabled={isSent.value}>
          {url === undefined ? 'Send' : 'I have been there'}
        </button>
        <button type="button" disabled={isSent.value} onClick={() => void answer({ action: 'decline' })}>
          Decline
        </button>
      </div>
    </form>
  );
}

interface FieldOptions {
  readonly field: ElicitedField;
  readonly value: string;
  readonly enter: (value: string) => void;
}

function Field({ field, value, enter }: FieldOptions) {
  if (field.kind === 'boolean')
    return (
      <input
        id={`elicited-${field.name}`}
        type="checkbox"
        checked={value === 'true'}
        onChange={({ currentTarget }) => enter(String(currentTarget.checked))}
      />
    );
  if (field.kind === 'choice')
    return (
      <select id={`elicited-${field.name}`} value={value} onChange={({ currentTarget }) => enter(currentTarget.value)}>
        <option value="" />
        {field.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  return (
    <input
      id={`elicited-${field.name}`}
      type="text"
      inputMode={field.kind === 'text' ? 'text' : 'decimal'}
      value={value}
      onInput={({ currentTarget }) => enter(currentTarget.value)}
    />
  );
}

function wordsOf(input: unknown) {
  const record: Readonly<Record<string, unknown>> = typeof input === 'object' && input !== null ? { ...input } : {};
  const text = (name: string) => {
    const value = record[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { message: text('message') ?? '', serverName: text('serverName') ?? '', url: text('url') };
}
