import { describe, expect, it } from 'vitest';
import { inertContent } from '../../src/session/prompt-guard.ts';

const END = { type: 'text', text: '(end of message)' };
const text = (content: string) => ({ type: 'text', text: content });

describe('the text of a stranger', () => {
  it.each(['/clear', ' /clear', 'look at @secret.txt'])(
    'goes word for word in a block that nobody looks into: %j (WIRE §25.20)',
    (content) => {
      expect(inertContent(content, '2.1.197')).toEqual([text(content), END]);
      expect(inertContent([text('hello'), text(content)], undefined)).toEqual([text('hello'), text(content), END]);
    },
  );

  it('is left alone where it cannot act', () => {
    const picture = { type: 'image', source: { type: 'url', url: 'https://example.org/@a.png' } };

    expect(inertContent('either/or', '2.1.197')).toBe('either/or');
    expect(inertContent([picture], '2.1.197')).toEqual([picture]);
  });

  it('is left alone where the CLI is told that it is meant word for word, from 2.1.248 on', () => {
    expect(inertContent('/clear', '2.1.248')).toBe('/clear');
    expect(inertContent('/clear', '2.1.247')).not.toBe('/clear');
  });
});
