import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import { dialectArguments } from '../../src/launch/dialect-arguments.ts';
import { parseSessionOptions } from '../../src/launch/session-options.ts';
import { DIALECTS } from '../../src/wire/dialect.ts';
import { type MemoryCli, memoryStage } from '../session/memory-cli.ts';

describe('how a program of a dialect is started', () => {
  it('an engine gets its own arguments, and none of the CLI', () => {
    const options = { dialect: 'json-rpc', pathToClaudeCodeExecutable: 'troupe', engineArgs: ['serve', '--stdio'] };
    expect(argumentsOf(options)).toEqual(['serve', '--stdio']);
  });

  it('nobody but a caller knows the engine: the CLI on PATH is none (INVALID_OPTIONS)', () => {
    expect(refusalOf({ dialect: 'json-rpc' })).toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'pathToClaudeCodeExecutable', reason: expect.stringContaining('json-rpc') },
    });
  });

  it.each(['auto', ...DIALECTS].filter((dialect) => dialect !== 'json-rpc'))(
    'arguments of an engine are refused with dialect %s (INVALID_OPTIONS)',
    (dialect) => {
      expect(refusalOf({ dialect, pathToClaudeCodeExecutable: 'claude', engineArgs: [] })).toMatchObject({
        code: 'INVALID_OPTIONS',
        details: { field: 'engineArgs', reason: expect.stringContaining('json-rpc') },
      });
    },
  );

  it('and where no dialect is named', () => {
    expect(refusalOf({ engineArgs: ['serve'] })).toMatchObject({ details: { field: 'engineArgs' } });
  });

  it('what the supervisor says of every session counts', async () => {
    const { supervisor, clis } = await memoryStage();
    await expect(supervisor.start({ engineArgs: [] })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'engineArgs' },
    });
    expect(clis).toHaveLength(1);

    const engines = await memoryStage({ dialect: 'json-rpc', behave: greet });
    await engines.supervisor.start({ engineArgs: [] });
    expect(engines.clis).toHaveLength(2);
  });
});

/** All that an engine must do to be started. */
function greet({ peer }: MemoryCli, { id }: Record<string, unknown>): boolean {
  peer.output(`${JSON.stringify({ jsonrpc: '2.0', id, result: { protocol_version: '1.0', capabilities: {} } })}\n`);
  return false;
}

function argumentsOf(options: unknown): string[] {
  return dialectArguments(parseSessionOptions(options), { files: {} });
}

function refusalOf(options: unknown): TroupeError | undefined {
  try {
    argumentsOf(options);
    return undefined;
  } catch (error) {
    return TroupeError.is(error) ? error : undefined;
  }
}
