import { z } from 'zod';
import { malformedAnswer } from './malformed-answer.ts';

/** The label of an option, or `{ other }`: the user's own words; several of them where the question allows it. */
export type QuestionAnswer = Choice | readonly Choice[];
type Choice = string | { readonly other: string };

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

const Choice = z.union([z.string(), z.strictObject({ other: z.string().trim().min(1) })]);
const Answer = z.union([Choice.transform((choice) => [choice]), z.array(Choice)]);

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
  if (!parsed.success) throw malformedAnswer(text, 'expected a label, { other: text }, or a list of them');
  const choices = parsed.data;
  if (choices.length === 0) throw malformedAnswer(text, 'has no answer');
  if (choices.length > 1 && multiSelect !== true) throw malformedAnswer(text, 'takes one answer only');
  const offered = options.map(({ label }) => label);
  const wrong = choices.find((choice) => typeof choice === 'string' && !offered.includes(choice));
  if (wrong === undefined)
    return choices.map((choice) => (typeof choice === 'string' ? choice : choice.other)).join(', ');
  const labels = offered.map((label) => JSON.stringify(label)).join(', ');
  throw malformedAnswer(text, `offers ${labels}, not ${JSON.stringify(wrong)}; free text is { other: text }`);
}
