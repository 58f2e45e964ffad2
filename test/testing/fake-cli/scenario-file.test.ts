import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readScenario } from '../../../src/testing/fake-cli/scenario-file.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-scenarios-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a scenario in a file', () => {
  it('is the scenario, checked', async () => {
    const path = await written('good.json', '{"rules":[{"on":{"kind":"prompt"},"do":[{"step":"exit","code":3}]}]}');

    expect(await readScenario(path)).toEqual({ rules: [{ on: { kind: 'prompt' }, do: [{ step: 'exit', code: 3 }] }] });
  });

  it.each([
    [
      'step.json',
      '{"rules":[{"on":{"kind":"prompt"},"do":[{"step":"emitt"}]}]}',
      'rules[0].do[0]: unknown step "emitt"',
    ],
    [
      'field.json',
      '{"rules":[{"on":{"kind":"prompt"},"do":[{"step":"exit"}]}]}',
      'rules[0].do[0].code: must be a number',
    ],
    ['list.json', '[]', 'scenario: must be an object'],
    ['null.json', 'null', 'scenario: must be an object'],
    ['broken.json', '{"rules":', 'is not JSON ('],
  ])('is refused with the file, the place and the reason: %s', async (name, text, reason) => {
    const path = await written(name, text);

    await expect(readScenario(path)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining(`${path}: ${reason}`),
      details: { path, problem: expect.any(String) },
    });
  });

  it('is refused when it is not there', async () => {
    await expect(readScenario(join(folder, 'none.json'))).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('none.json: cannot be read'),
    });
  });
});

async function written(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}
