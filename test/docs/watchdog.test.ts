import { describe, expect, it } from 'vitest';
import { FRAME_RULES } from '../../src/wire/frame-class.ts';
import { readPage } from './markdown-page.ts';

const page = readPage('docs/watchdog.md');

describe('the table of frames', () => {
  it('says of each frame what the code does with it, and why (P5)', () => {
    const rows = Object.entries(FRAME_RULES).map(([frame, { frameClass, because }]) => {
      return `| \`${frame}\` | ${frameClass} | ${because} |`;
    });
    const section = page.text.split('## What the frames mean')[1]?.split('\n## ')[0] ?? '';
    expect(section.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
  });
});
