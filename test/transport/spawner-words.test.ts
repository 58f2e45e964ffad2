import { describe, expect, it } from 'vitest';
import { GREETING_BYTES, greeting, parseGreeting, TOKEN_LENGTH } from '../../src/transport/spawner-words.ts';

const TOKEN = 'a1'.repeat(TOKEN_LENGTH / 2);

describe('the greeting of a pipe', () => {
  it('says which pipe of which process it is to be, always in as many bytes', () => {
    for (const id of [1, 999_999_999_999]) {
      for (const descriptor of [0, 1, 2]) {
        const said = greeting(TOKEN, id, descriptor);
        expect(Buffer.byteLength(said)).toBe(GREETING_BYTES);
        expect(parseGreeting(said, TOKEN)).toEqual({ id, descriptor });
      }
    }
  });

  it('is refused with another token, and with more behind it (P11)', () => {
    expect(parseGreeting(greeting('b2'.repeat(TOKEN_LENGTH / 2), 1, 0), TOKEN)).toBeUndefined();
    expect(parseGreeting(`${greeting(TOKEN, 1, 0)}x`, TOKEN)).toBeUndefined();
    expect(parseGreeting('', TOKEN)).toBeUndefined();
  });
});
