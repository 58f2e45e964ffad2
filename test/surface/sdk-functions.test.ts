import * as official from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import * as troupe from '../../src/index.ts';
import { faultOf } from './row.ts';
import { FUNCTIONS } from './sdk-functions.ts';

const SHOWN = Object.entries(FUNCTIONS).filter(([, row]) => !('missing' in row));

describe('what the official SDK exports', () => {
  it('has a row each, and no row is left over', () => {
    expect(Object.keys(FUNCTIONS).toSorted()).toEqual(Object.keys(official).toSorted());
  });

  it.each(Object.entries(FUNCTIONS))('%s is shown by a test, or says why not', (_, row) => {
    expect(faultOf(row)).toBeUndefined();
  });

  it.each(SHOWN.map(([name]) => name))('%s is exported here under its name', (name) => {
    expect(typeof Reflect.get(troupe, name)).toBe(typeof Reflect.get(official, name));
  });

  it.each(SHOWN.map(([name]) => name).filter((name) => /^[A-Z_]+$/.test(name)))(
    '%s has the values of the official SDK (a new release may bring more)',
    (name) => {
      expect(Reflect.get(troupe, name)).toEqual(Reflect.get(official, name));
    },
  );
});
