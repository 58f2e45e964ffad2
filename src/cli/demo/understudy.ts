import { type FakeClaude, fakeClaude } from '../../testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../testing/fake-cli/scenario.ts';

/** A fake CLI that plays the scenes where the real one is not to be had. */
export function understudy(): Promise<FakeClaude> {
  return fakeClaude({
    rules: [
      on(
        when.prompt({ contains: 'Greet the audience' }),
        step.echoTurn({ text: 'Good evening, and welcome to the show.', wordMs: 120 }),
      ),
      on(
        when.prompt({ contains: 'seats are sold' }),
        step.toolTurn({ tool: 'mcp__box-office__seats_sold', input: { front: 19, back: 23 }, ask: false }),
      ),
      on(
        when.prompt({ contains: 'props on the stage' }),
        step.toolTurn({ tool: 'Bash', input: { command: 'echo "a chair, a lamp" > stage.txt' }, output: '' }),
      ),
    ],
  });
}
