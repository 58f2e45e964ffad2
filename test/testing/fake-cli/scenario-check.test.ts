import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../../src/errors.ts';
import { on, type Scenario, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { checkScenario } from '../../../src/testing/fake-cli/scenario-check.ts';

const prompt = when.prompt('x');

describe('checkScenario', () => {
  it.each([
    [{ atStart: [{ step: '__proto__' }] }, /unknown step "__proto__"/],
    [{ atStart: [{ step: 'constructor' }] }, /unknown step "constructor"/],
    [{ rules: [{ on: { kind: 'toString' }, do: [] }] }, /unknown match "toString"/],
    [{ flavor: { version: 'valueOf' } }, /unknown version "valueOf"/],
    [{ flavor: { constructor: 1 } }, /unknown field "constructor"/],
    [{ atStart: [{ step: 'hang', toString: 1 }] }, /unknown field "toString"/],
    [{ flavor: { version: { toString: '' } } }, /unknown version {"toString":""}/],
    [{ flavor: { version: ['2.1.332'] } }, /unknown version \["2.1.332"\]/],
    [{ atStart: [{ step: { toString: '' } }] }, /unknown step {"toString":""}/],
    [{ rules: [{ on: { kind: { toString: '' } }, do: [] }] }, /unknown match {"toString":""}/],
  ])(
    'refuses %j: what every object has by birth, and what is no text, is the name of nothing (P6)',
    (scenario, reason) => {
      // As it is read from a file.
      const read = JSON.parse(JSON.stringify(scenario)) as Scenario;
      expect(() => checkScenario(read)).toThrow(reason);
    },
  );

  it('accepts what the builders build', () => {
    const ask = step.request({ name: 'q', subtype: 'can_use_tool' });
    const every = [
      ...[step.emit({ type: 'x' }), step.emitRaw('x'), step.emitRaw({ base64: 'eA==' })],
      ...[step.emitMany({ count: 1, frame: {}, perWrite: true }), step.bigLine({ bytes: 1 }), step.delay(1)],
      ...[ask, step.awaitResponse('q'), step.cancelRequest('q'), step.echoTurn({ lines: 2 })],
      ...[step.toolTurn({ tool: 'Bash', input: {} }), step.result({}), step.stderr('x'), step.hang()],
      ...[step.stderrMany({ count: 1, bytes: 1 }), step.exit(0), step.killSelf('SIGKILL'), step.ignore('eof')],
      ...[step.burnCpu(1), step.closeStdin(), step.closeStdout(), step.spawnChild(), step.printEnvironment()],
      ...[step.trickle({ text: 'x', bytesPerWrite: 2 }), step.repeat({ times: 2, everyMs: 1 }, step.delay(1))],
      ...[step.expect({ type: 'user' }, { withinMs: 1 }), step.awaitResponse('q', {}), step.stopReading(1)],
      step.fallThrough(),
    ];
    const matches = [prompt, when.response('q'), when.cancel(), when.eof(), when.signal('SIGTERM'), when.start()];
    const rules = matches.map((match) => on(match, ...every));
    const answering = [
      on(when.initialize(1), step.respond()),
      on(when.control('x', 2), step.respondError('no', 'code')),
    ];
    const scenario: Scenario = { atStart: [step.writeBeforeRead({ bytes: 1 })], rules: [...rules, ...answering] };

    expect(() => checkScenario({ ...scenario, perStart: [scenario, {}], flavor: { version: '2.1.19' } })).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['rules[0].do[1]: unknown step "emitt"', { rules: [on(prompt, step.hang(), { step: 'emitt' } as never)] }],
    ['rules[0].on: unknown match "promt"', { rules: [{ on: { kind: 'promt' }, do: [] }] }],
    ['rules[0].on: unknown field "equal"', { rules: [on(when.prompt({ equal: 'x' } as never))] }],
    ['rules[0].on: pattern is not a regular expression', { rules: [on(when.prompt({ pattern: '(' }))] }],
    ['rules[0].do[0].ms: must be a number', { rules: [on(prompt, step.delay(-1))] }],
    ['rules[0].do[0].ms: must be a number', { rules: [on(prompt, step.burnCpu(Number.POSITIVE_INFINITY))] }],
    ['rules[0].do[0].signal: must be a signal name', { rules: [on(prompt, step.killSelf('TERM'))] }],
    ['rules[0].do[0]: respond answers nothing', { rules: [on(prompt, step.respond({}))] }],
    ['rules[0].do[0]: no request step is named "q"', { rules: [on(prompt, step.awaitResponse('q'))] }],
    ['rules[0].on: no request step is named "q"', { rules: [on(when.response('q'))] }],
    [
      'rules[0].do[0]: writeBeforeRead belongs into atStart',
      { rules: [on(prompt, step.writeBeforeRead({ bytes: 1 }))] },
    ],
    [
      'rules[0].do[0].do[0]: unknown step "x"',
      { rules: [on(prompt, step.repeat({ times: 1, everyMs: 1 }, { step: 'x' } as never))] },
    ],
    ['rules[0].do[0].line.type: must be a text', { rules: [on(prompt, step.expect({} as never))] }],
    ['rules[0].times: must be a number', { rules: [{ ...on(prompt), times: 'once' }] }],
    ['rules[0]: unknown field "steps"', { rules: [{ on: prompt, do: [], steps: [] }] }],
    ['rules[0].do: must be a list', { rules: [{ on: prompt }] }],
    ['scenario: unknown field "rule"', { rule: [] }],
    ['flavor: unknown field "lifecycle"', { flavor: { lifecycle: false } }],
    ['flavor.version: unknown version "9"', { flavor: { version: '9' } }],
    ['sessions: must be known or any', { sessions: 'none' }],
    ['perStart[1].atStart[0]: unknown step "x"', { perStart: [{}, { atStart: [{ step: 'x' }] }] }],
    ['perStart[0]: unknown field "perStart"', { perStart: [{ perStart: [] }] }],
    ['frame: is not JSON', { rules: [on(prompt, step.emit((() => {}) as never))] }],
  ])('names the place: %s', (text, scenario) => {
    const check = () => checkScenario(scenario as Scenario);
    expect(check).toThrow(text);
    expect(check).toThrow(TroupeError);
  });
});
