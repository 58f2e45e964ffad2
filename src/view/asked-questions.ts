/** One question of AskUserQuestion. */
export interface AskedQuestion {
  readonly question: string;
  readonly header: string | undefined;
  readonly takesSeveral: boolean;
  readonly options: readonly { readonly label: string; readonly description: string | undefined }[];
}

/** What somebody chose: labels, or words of their own. */
export interface Choice {
  readonly labels: readonly string[];
  readonly other: string;
}

/** The questions in the input of AskUserQuestion; none in what is something else. */
export function askedQuestions(toolName: string | undefined, input: unknown): AskedQuestion[] {
  if (toolName !== 'AskUserQuestion' || !isRecord(input) || !Array.isArray(input['questions'])) return [];
  return input['questions'].flatMap((one: unknown) => {
    if (!isRecord(one) || typeof one['question'] !== 'string' || !Array.isArray(one['options'])) return [];
    const options = one['options'].flatMap((option: unknown) =>
      isRecord(option) && typeof option['label'] === 'string'
        ? [{ label: option['label'], description: textOf(option['description']) }]
        : [],
    );
    const { question } = one;
    return [{ question, header: textOf(one['header']), takesSeveral: one['multiSelect'] === true, options }];
  });
}

/** The input with its answers, as the tool takes it; undefined while a question has none. */
export function answeredInput(
  input: unknown,
  questions: readonly AskedQuestion[],
  choices: Readonly<Record<string, Choice>>,
): Readonly<Record<string, unknown>> | undefined {
  const answers = questions.map(({ question, options, takesSeveral }) => {
    const { labels = [], other = '' } = Object.hasOwn(choices, question) ? (choices[question] ?? {}) : {};
    // In the order in which they were offered, whatever was clicked first.
    const chosen = options.map(({ label }) => label).filter((label) => labels.includes(label));
    const own = other.trim() === '' ? [] : [other.trim()];
    const all = takesSeveral ? [...chosen, ...own] : [...own, ...chosen].slice(0, 1);
    return [question, all.join(', ')] as const;
  });
  if (!isRecord(input) || answers.some(([, answer]) => answer === '')) return undefined;
  return { ...input, answers: Object.fromEntries(answers) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
