import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretsOfServers, secretVariables } from '../../src/redaction/secret-names.ts';
import { REDACTED, Secrets } from '../../src/redaction/secrets.ts';

const SECRET = 'canary "é\\ value\n7f3a';

describe('what holds no secret (DESIGN §3)', () => {
  it('comes back as the very same bytes, texts and objects', () => {
    const secrets = secretsOf([SECRET]);
    const line = Buffer.from('{"type":"assistant","n":1.50,"text":"caf\\u00e9 canary"}');
    const value = { list: ['canary', { deep: 'Bearer of news' }] };

    expect(secrets.line(line)).toBe(line);
    expect(secrets.value(value)).toBe(value);
  });

  it('is left alone also where it only begins like one, or looks like a word of a sentence', () => {
    const secrets = secretsOf([]);
    const innocent =
      'The header is Authorization: Bearer authentication-of-the-client; sk-ant-xyz, AKIA, npm_config_registry';

    expect(secrets.text(innocent)).toBe(innocent);
  });
});

describe('a text with a secret (P11)', () => {
  it('loses what its bytes lose, whatever stands around it', () => {
    const part = fc.constantFrom(
      'canary-7f3a-0123',
      'canary-7f3a',
      'é',
      '日本',
      '😀',
      '\ud800',
      'x',
      '-',
      'AKIA',
      'sk-ant-api03-',
    );
    const long = fc.constantFrom(
      `sk-ant-api03-${'A1b2'.repeat(24)}`,
      `AKIA${'Q7'.repeat(8)}`,
      'a longer run of words ',
    );
    const texts = fc.array(fc.oneof(part, long), { maxLength: 8 }).map((parts) => parts.join(''));
    for (const known of [['canary-7f3a-0123'], ['canary-7f3a-0123', 'ключ-é-日本-0123'], []]) {
      const secrets = secretsOf(known);
      fc.assert(
        fc.property(texts, (text) => {
          const bytes = Buffer.from(text);
          const cleaned = secrets.bytes(bytes);
          expect(secrets.text(text)).toBe(cleaned === bytes ? text : cleaned.toString());
        }),
      );
      for (const secret of known) expect(secrets.text(`日本 ${secret} 😀`)).toBe(`日本 ${REDACTED} 😀`);
    }
  });
});

describe('a line of JSON with a secret (P11)', () => {
  it.each([
    ['as it is', (secret: string) => ({ text: `before ${secret} after` })],
    ['as a name', (secret: string) => ({ [secret]: 1 })],
    ['within JSON', (secret: string) => ({ partial_json: JSON.stringify({ command: secret }) })],
    ['within JSON within JSON', (secret: string) => ({ out: JSON.stringify({ body: JSON.stringify([secret]) }) })],
    ['in a URL', (secret: string) => ({ url: `https://host/?q=${encodeURIComponent(secret)}` })],
    ['in base64', (secret: string) => ({ data: Buffer.from(`user:${secret}`).toString('base64') })],
    ['in base64 for URLs', (secret: string) => ({ data: Buffer.from(`${secret}?`).toString('base64url') })],
  ])('loses it %s, and stays one valid line', (_, wrap) => {
    const cleaned = secretsOf([SECRET]).line(Buffer.from(JSON.stringify({ a: 1, ...wrap(SECRET), z: '\\"' })));

    expect(JSON.parse(cleaned.toString())).toMatchObject({ a: 1, z: '\\"' });
    expect(cleaned.toString()).toContain(REDACTED);
    expect(isTold(SECRET, cleaned.toString())).toBe(false);
  });

  it('keeps every byte outside the texts that held it', () => {
    const line = Buffer.from(`{"n": 12345678901234567890, "x":"caf\\u00e9", "s":"${'topsecret1'}","f":1.0}`);

    expect(secretsOf(['topsecret1']).line(line).toString()).toBe(
      '{"n": 12345678901234567890, "x":"caf\\u00e9", "s":"[redacted]","f":1.0}',
    );
  });

  it('is not cut within an escape where a secret only seems to begin', () => {
    const line = Buffer.from('{"text":"a\\nbcdefgh1"}');

    expect(secretsOf(['nbcdefgh1']).line(line).toString()).toBe(line.toString());
  });

  it('loses it also as a number, and stays valid', () => {
    expect(secretsOf(['73519846']).line(Buffer.from('{"pin":73519846,"id":773519846}')).toString()).toBe(
      '{"pin":"[redacted]","id":"7[redacted]"}',
    );
  });

  it('stays valid JSON and loses the secret, wherever it stands', () => {
    const secret = fc.string({ minLength: 8, maxLength: 30, unit: 'binary' }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(secret, fc.jsonValue(), fc.string(), (hidden, around, next) => {
        const line = Buffer.from(JSON.stringify({ around, text: next + hidden + next, list: [hidden] }));
        const cleaned = secretsOf([hidden]).line(line).toString();

        expect(cleaned.includes('\n')).toBe(false);
        expect(JSON.parse(cleaned).list).toEqual([REDACTED]);
      }),
    );
  });
});

describe('what looks like a secret (P11)', () => {
  it.each([
    `sk-ant-api03-${'aB3_'.repeat(10)}`,
    `ghp_${'a1B2'.repeat(9)}`,
    `github_pat_${'a1B2_'.repeat(9)}`,
    `AKIA${'ABCD2345'.repeat(2)}`,
    `xoxb-123456789012-${'a1'.repeat(10)}`,
    `-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE\nAAAA\n-----END OPENSSH PRIVATE KEY-----`,
  ])('is taken out without being known: %s', (secret) => {
    const cleaned = secretsOf([]).line(Buffer.from(JSON.stringify({ text: `key=${secret}, and more` })));

    expect(JSON.parse(cleaned.toString())).toEqual({ text: `key=${REDACTED}, and more` });
  });

  it('stays where shapes are turned off; patterns of the caller are looked for in each text', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const off = new Secrets({ values: [], hasShapes: false });
    const own = new Secrets({ values: [], hasShapes: true, patterns: [/^ACME-\d{4}$/] });

    expect(off.text(token)).toBe(token);
    expect(own.line(Buffer.from('{"a":"ACME-1234","b":"see ACME-1234"}')).toString()).toBe(
      '{"a":"[redacted]","b":"see ACME-1234"}',
    );
  });
});

describe('an excerpt of a text (P11)', () => {
  it('loses also what the cut left of a secret at either end', () => {
    const secret = 'canary-7f3a9b2c-canary';

    expect(secretsOf([secret]).excerpt(`${secret.slice(5)} middle ${secret.slice(0, 12)}`)).toBe(
      `${REDACTED} middle ${REDACTED}`,
    );
  });
});

describe('the secrets of an environment (P11)', () => {
  it('are told by their names, by declared patterns, and by passwords in addresses', () => {
    const env = {
      ANTHROPIC_API_KEY: 'value-of-key',
      DIFY_KEY: 'value-of-dify',
      dbPassword: 'value-of-password',
      DATABASE_URL: 'postgres://user:p%40ssword1@host/db',
      MY_THING: 'value-of-thing',
      BUILD_KEY: 'production',
      SSH_AUTH_SOCK: '/tmp/agent.1',
      PWD: '/home/user',
      MONKEY: 'a-monkey-is-none',
      EMPTY_TOKEN: '',
    };

    expect(secretVariables(env, ['MY_*', '!BUILD_KEY'])).toEqual([
      'value-of-key',
      'value-of-dify',
      'value-of-password',
      'p%40ssword1',
      'p@ssword1',
      'value-of-thing',
    ]);
  });

  it('are those of MCP servers, too: variables by name, and every header but the well-known', () => {
    const servers = {
      remote: { type: 'http', url: 'https://host', headers: { Authorization: 'Bearer abc123', Accept: 'text/plain' } },
      local: { command: 'server', env: { API_TOKEN: 'value-of-token', NODE_ENV: 'production' } },
    };

    expect(secretsOfServers(servers)).toEqual(['Bearer abc123', 'abc123', 'value-of-token']);
  });
});

function secretsOf(values: readonly string[]): Secrets {
  return new Secrets({ values, hasShapes: true });
}

/** In any spelling in which the tests above have written it. */
function isTold(secret: string, text: string): boolean {
  const spellings = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  return spellings.some((spelling) => text.includes(spelling));
}
