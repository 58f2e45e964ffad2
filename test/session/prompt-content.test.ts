import { describe, expect, it } from 'vitest';
import { parsePromptContent, parsePromptId } from '../../src/session/prompt-content.ts';

describe('the content of a prompt', () => {
  it('may be a text, taken as it is', () => {
    for (const text of ['hello', '  indented\n', '/cost', '漢字 😀']) expect(parsePromptContent(text)).toBe(text);
  });

  it('may be content blocks, of kinds nobody here knows too', () => {
    const blocks = [
      { type: 'text', text: 'look' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'zzz_new' },
    ];
    expect(parsePromptContent(blocks)).toEqual(blocks);
  });

  it('is copied, so that nobody changes a prompt that was accepted (P2)', () => {
    const block = { type: 'text', text: 'good' };
    const content = parsePromptContent([block]);
    block.text = 'changed';
    expect(content).toEqual([{ type: 'text', text: 'good' }]);
  });

  it.each([
    ['an empty text', '', 'content'],
    ['a blank text', ' \n\t', 'content'],
    ['nothing', undefined, 'content'],
    ['null', null, 'content'],
    ['a number', 7, 'content'],
    ['an object', { type: 'text', text: 'hello' }, 'content'],
    ['no block at all', [], 'content'],
    ['a block that is a text', [{ type: 'text', text: 'x' }, 'hello'], 'content[1]'],
    ['a text block without a text', [{ type: 'text' }], 'content[0].text'],
    ['blank text blocks', [{ type: 'text', text: '  ' }], 'content'],
    ['what is no JSON', [{ type: 'text', text: 'x', n: 1n }], 'content'],
    ['a block that is null', [null], 'content[0]'],
    ['a block without a type', [{ text: 'hello' }], 'content[0]'],
    ['a block whose type is no text', [{ type: 7 }], 'content[0]'],
    ['a picture without a source', [{ type: 'image' }], 'content[0].source'],
    ['a picture of an unknown kind', [imageOf({ media_type: 'image/tiff' })], 'content[0].source.media_type'],
    ['a picture with a data: prefix', [imageOf({ data: 'data:image/png;base64,AA==' })], 'content[0].source.data'],
    ['a picture without bytes', [imageOf({ data: '' })], 'content[0].source.data'],
    ['a picture behind a file path', [imageOf({ type: 'url', url: '/etc/passwd' })], 'content[0].source.url'],
    [
      'a document that is no PDF',
      [{ type: 'document', source: { type: 'base64', media_type: 'text/html', data: 'AAAA' } }],
      'content[0].source.media_type',
    ],
    [
      'a document of a text that is none',
      [{ type: 'document', source: { type: 'text', data: 7 } }],
      'content[0].source.data',
    ],
  ])('is refused before it can end the CLI: %s (WIRE §14)', (_title, content, field) => {
    expect(() => parsePromptContent(content)).toThrow(
      expect.objectContaining({ code: 'INVALID_PROMPT', details: expect.objectContaining({ field }) }),
    );
  });
});

function imageOf(source: Record<string, unknown>) {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=', ...source } };
}

describe('the id of a prompt', () => {
  it('is 1 to 200 printable characters; it need not be a uuid (WIRE §11)', () => {
    for (const id of ['a', 'my prompt #1', 'x'.repeat(200), '11111111-1111-4111-8111-111111111111']) {
      expect(parsePromptId(id, () => false)).toBe(id);
    }
  });

  it.each([undefined, null, 7, '', 'x'.repeat(201), 'two\nlines', 'tab\t', 'é', '\u0000'])('is refused: %j', (id) => {
    expect(() => parsePromptId(id, () => false)).toThrow(
      expect.objectContaining({ code: 'INVALID_PROMPT', details: expect.objectContaining({ field: 'id' }) }),
    );
  });
});
