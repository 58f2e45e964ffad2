import { describe, expect, it } from 'vitest';
import { Rules } from '../../../src/testing/fake-cli/rules.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';

const prompt = (text: string, isBare = false) => ({ kind: 'prompt', text, isBare }) as const;

describe('Rules', () => {
  it('takes the first rule that fits', () => {
    const first = on(when.prompt({ contains: 'b' }), step.hang());
    const second = on(when.prompt(), step.exit(1));
    const rules = new Rules([first, second]);

    expect(rules.find(prompt('abc'))).toMatchObject(first);
    expect(rules.find(prompt('xyz'))).toMatchObject(second);
    expect(rules.find({ kind: 'eof' })).toBeUndefined();
  });

  it('counts for nth only what fits the rest, also when an earlier rule takes it', () => {
    const earlier = on(when.prompt({ equals: 'a', nth: 1 }));
    const third = on(when.prompt({ equals: 'a', nth: 3 }));
    const rules = new Rules([earlier, third]);
    const found = ['a', 'b', 'a', 'a', 'a'].map((text) => rules.find(prompt(text)));

    expect(found).toMatchObject([earlier, undefined, undefined, third, undefined]);
  });

  it('keeps bare prompts apart from those that open a turn', () => {
    const bare = on(when.prompt({ bare: true }));
    const rules = new Rules([bare]);

    expect(rules.find(prompt('x'))).toBeUndefined();
    expect(rules.find(prompt('x', true))).toMatchObject(bare);
  });

  it('matches subtype, request name, behavior and signal name', () => {
    const rules = [on(when.control('x')), on(when.response('q', { behavior: 'deny' })), on(when.signal('SIGINT'))];
    const find = new Rules(rules);

    expect(find.find({ kind: 'control', subtype: 'y' })).toBeUndefined();
    expect(find.find({ kind: 'control', subtype: 'x' })).toMatchObject(rules[0] ?? {});
    expect(find.find({ kind: 'response', to: 'q', behavior: 'allow' })).toBeUndefined();
    expect(find.find({ kind: 'response', to: 'q', behavior: 'deny' })).toMatchObject(rules[1] ?? {});
    expect(find.find({ kind: 'signal', name: 'SIGTERM' })).toBeUndefined();
    expect(find.find({ kind: 'signal', name: 'SIGINT' })).toMatchObject(rules[2] ?? {});
  });
});
