import { type Signal, useSignal } from '@preact/signals';
import { type AskedQuestion, answeredInput, type Choice } from '../../view/asked-questions.ts';
import type { Answer } from './question-card.tsx';

interface QuestionsFormOptions {
  readonly input: unknown;
  readonly questions: readonly AskedQuestion[];
  readonly answer: Answer;
  readonly isSent: Signal<boolean>;
}

const NOTHING: Choice = { labels: [], other: '' };

/** AskUserQuestion: each question with its options, and room for words of one's own. */
export function QuestionsForm({ input, questions, answer, isSent }: QuestionsFormOptions) {
  const choices = useSignal<Readonly<Record<string, Choice>>>({});
  const updatedInput = answeredInput(input, questions, choices.value);
  const choose = (question: string, choice: Choice) => {
    choices.value = { ...choices.value, [question]: choice };
  };
  return (
    <form
      class="answers"
      onSubmit={(event) => {
        event.preventDefault();
        if (updatedInput !== undefined) void answer({ behavior: 'allow', updatedInput });
      }}
    >
      {questions.map((asked) => (
        <OneQuestion
          key={asked.question}
          asked={asked}
          choice={choices.value[asked.question] ?? NOTHING}
          choose={(choice) => choose(asked.question, choice)}
        />
      ))}
      <div class="answer-buttons">
        <button type="submit" class="primary" disabled={isSent.value || updatedInput === undefined}>
          Answer
        </button>
        <button
          type="button"
          disabled={isSent.value}
          onClick={() => void answer({ behavior: 'deny', message: 'Nobody wants to answer this.' })}
        >
          Decline
        </button>
      </div>
    </form>
  );
}

interface OneQuestionOptions {
  readonly asked: AskedQuestion;
  readonly choice: Choice;
  readonly choose: (choice: Choice) => void;
}

function OneQuestion({ asked, choice, choose }: OneQuestionOptions) {
  const toggled = (label: string) => {
    if (!asked.takesSeveral) return { labels: [label], other: '' };
    const labels = choice.labels.includes(label)
      ? choice.labels.filter((one) => one !== label)
      : [...choice.labels, label];
    return { ...choice, labels };
  };
  return (
    <fieldset>
      <legend>{asked.question}</legend>
      {asked.options.map(({ label, description }) => (
        <label key={label} class="check">
          <input
            type={asked.takesSeveral ? 'checkbox' : 'radio'}
            name={asked.question}
            checked={choice.labels.includes(label)}
            onChange={() => choose(toggled(label))}
          />
          <span>
            {label} {description !== undefined && <span class="muted">{description}</span>}
          </span>
        </label>
      ))}
      <input
        type="text"
        aria-label={`In your own words: ${asked.question}`}
        placeholder="In your own words"
        value={choice.other}
        onInput={({ currentTarget: { value: other } }) =>
          choose({ labels: asked.takesSeveral || other === '' ? choice.labels : [], other })
        }
      />
    </fieldset>
  );
}
