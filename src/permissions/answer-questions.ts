import { z } from 'zod';
import { malformedAnswer } from './malformed-answer.ts';

/** The label of an option, several of them where the question allows it, or `{ other }`: the user's own words. */
export type QuestionAnswer = string | readonly string[] | { readonly other: string };

const Input = z.looseObject({
  questions: z
    .array(
      z.looseObject({
        question: z.string(),
        multiSelect: z.boolean().nullish(),
        options: z.array(z.looseObject({ label: z.string() })),
      }),
    )
    .min(1),
});
type Question = z.infer<typeof Input>['questions'][number];

const Answer = z.union([z.string(), z.array(z.string()), z.strictObject({ other: z.string().trim().min(1) })]);

/**
 * The `updatedInput` that answers AskUserQuestion: the questions by their text, each with the label of an option (WIRE §18).
 * Throws INVALID_ANSWER naming the question when one is unknown, left out, answered with a label it does not offer, or
 * with several where one is asked for; also when the request is no AskUserQuestion.
 */
export function answerQuestions(
  request: { readonly input: Readonly<Record<string, unknown>> | undefined },
  answers: Readonly<Record<string, QuestionAnswer>>,
): Record<string, unknown> {
  const parsed = Input.safeParse(request.input);
  if (!parsed.success) throw malformedAnswer('request', 'is no AskUserQuestion: its input holds no questions');
  const { questions } = parsed.data;
  const unknown = Object.keys(answers).find((text) => !questions.some(({ question }) => question === text));
  if (unknown !== undefined) throw malformedAnswer(unknown, 'was not asked');
  const texts = questions.map((question) => [question.question, textFor(question, answers)] as const);
  return { ...request.input, answers: Object.fromEntries(texts) };
}

function textFor(question: Question, answers: Readonly<Record<string, QuestionAnswer>>): string {
  const { question: text, options, multiSelect } = question;
  const given = Object.hasOwn(answers, text) ? answers[text] : undefined;
  if (given === undefined) throw malformedAnswer(text, 'has no answer');
  const parsed = Answer.safeParse(given);
  if (!parsed.success) throw malformedAnswer(text, 'expected a label, a list of labels or { other: text }');
  const answer = parsed.data;
  if (typeof answer === 'object' && 'other' in answer) return answer.other;
  const labels = typeof answer === 'string' ? [answer] : answer;
  if (labels.length === 0) throw malformedAnswer(text, 'has no answer');
  if (labels.length > 1 && multiSelect !== true) throw malformedAnswer(text, 'takes one answer only');
  const offered = options.map(({ label }) => label);
  const wrong = labels.find((label) => !offered.includes(label));
  if (wrong === undefined) return labels.join(', ');
  const choices = offered.map((label) => JSON.stringify(label)).join(', ');
  throw malformedAnswer(text, `offers ${choices}, not ${JSON.stringify(wrong)}; free text is { other: text }`);
}
