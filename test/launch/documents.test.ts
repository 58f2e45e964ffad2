import { describe, expect, it } from 'vitest';
import { mcpDocument } from '../../src/launch/mcp-document.ts';
import { parseSessionOptions } from '../../src/launch/session-options.ts';
import { settingsDocument } from '../../src/launch/settings-document.ts';

const LONG = Array.from({ length: 4_000 }, (_, index) => `Bash(command-${index}:*)`);
const CALC = { type: 'sdk', name: 'calc', instance: { connect: () => {}, close: () => {} } };

describe('the server document', () => {
  it('may stand on the command line only while every server runs in this process (P11)', () => {
    const calc = { type: 'sdk', name: 'calc' };
    expect(document({ calc: CALC })).toEqual({ needsFile: false, servers: { calc } });
    expect(document({ calc: CALC, files: { command: 'x' } })).toEqual({
      needsFile: true,
      servers: { calc, files: { type: 'stdio', command: 'x' } },
    });
    expect(document({ web: { type: 'http', url: 'http://h', headers: { A: 'b' } } })).toEqual({
      needsFile: true,
      servers: { web: { type: 'http', url: 'http://h', headers: { A: 'b' } } },
    });
  });

  it('belongs into a file when it is big (R94)', () => {
    const many = Object.fromEntries(LONG.map((_, index) => [`server-${index}`, CALC]));
    expect(document(many).needsFile).toBe(true);
  });

  function document(mcpServers: Record<string, unknown>) {
    const { text = '', needsFile } = mcpDocument(parseSessionOptions({ mcpServers })) ?? {};
    return { needsFile, servers: JSON.parse(text).mcpServers };
  }
});

describe('the settings document', () => {
  it('holds settings given as an object or as JSON text, which may have secrets in them (P11)', () => {
    expect(settings({ settings: { env: { A: 'b' } } })).toEqual({ env: { A: 'b' } });
    expect(settings({ settings: ' {"env":{"A":"b"}}' })).toEqual({ env: { A: 'b' } });
  });

  it('is not needed for a path, for short lists, or for nothing', () => {
    expect(settings({ settings: '/my/settings.json', allowedTools: ['Read'] })).toBeUndefined();
    expect(settings({})).toBeUndefined();
  });

  it('takes in rule lists that are too long for the command line, after those already there (R94)', () => {
    const given = { model: 'x', permissions: { allow: ['Read'], defaultMode: 'plan' } };
    expect(
      settings({ settings: given, allowedTools: LONG, disallowedTools: LONG.map((rule) => `Web${rule}`) }),
    ).toEqual({
      model: 'x',
      permissions: { allow: ['Read', ...LONG], deny: LONG.map((rule) => `Web${rule}`), defaultMode: 'plan' },
    });
  });

  it('refuses a long list beside the path of a settings file, naming the list (R94)', () => {
    for (const field of ['allowedTools', 'disallowedTools']) {
      expect(() => settings({ settings: '/my/settings.json', [field]: LONG })).toThrow(
        expect.objectContaining({ code: 'ARGUMENTS_TOO_LARGE', details: expect.objectContaining({ field }) }),
      );
    }
  });

  function settings(options: Record<string, unknown>) {
    return settingsDocument(parseSessionOptions(options));
  }
});
