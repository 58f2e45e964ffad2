import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSupervisor, type SessionOptions } from '../../src/index.ts';
import { traceFleet } from '../../src/telemetry/traces.ts';
import { type MemoryPrompt, memoryFleet } from '../supervision/memory-cli.ts';

const SECRET = 'sk-canary-0123456789abcdef';
const exporter = new InMemorySpanExporter();

beforeAll(() => {
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
beforeEach(() => exporter.reset());
afterAll(() => {
  api.trace.disable();
  api.context.disable();
});

function traced(answer?: (prompt: MemoryPrompt) => void) {
  const fleet = memoryFleet(answer);
  const supervisor = createSupervisor({ spawn: fleet.open, reap: 'off' });
  const stop = traceFleet(supervisor, api);
  onTestFinished(async () => {
    stop();
    await supervisor.shutdown();
  });
  const start = (options: SessionOptions = {}) =>
    supervisor.start({ id: 'one', restart: { type: 'temporary' }, ...options });
  return { fleet, supervisor, start, stop };
}

function toolCall(id: string, name: string, parent: string | null = null) {
  const content = [{ type: 'tool_use', id, name, input: { command: SECRET } }];
  return { type: 'assistant', parent_tool_use_id: parent, message: { role: 'assistant', content } };
}

function toolResult(id: string, parent: string | null = null, isError = false) {
  const content = [{ type: 'tool_result', tool_use_id: id, content: SECRET, is_error: isError }];
  return { type: 'user', parent_tool_use_id: parent, message: { role: 'user', content } };
}

/** Each finished span as `parent > child`, by its name and what it is about. */
function tree(): string[] {
  const spans = exporter.getFinishedSpans();
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? '');
    const about = span.attributes['gen_ai.tool.call.id'] ?? span.attributes['troupe.hook.event'];
    const own = about === undefined ? span.name : `${span.name} ${about}`;
    return parent === undefined ? own : `${pathOf(parent)} > ${own}`;
  };
  return spans.map(pathOf).sort();
}

describe('the traces of a fleet (R101)', () => {
  it('are session > turn > tool, with the tools of a subagent inside its call', async () => {
    const { start } = traced((prompt) => {
      prompt.cli.say(
        toolCall('t1', 'Task'),
        toolCall('t2', 'Bash', 't1'),
        toolResult('t2', 't1', true),
        toolResult('t1'),
      );
      prompt.complete('done', { usage: { input_tokens: 11, output_tokens: 7 } });
    });
    const session = await start();
    await session.prompt('go').result;
    await session.close();

    expect(tree()).toEqual([
      'session',
      'session > invoke_agent',
      'session > invoke_agent > execute_tool t1',
      'session > invoke_agent > execute_tool t1 > execute_tool t2',
    ]);
    const spans = new Map(
      exporter.getFinishedSpans().map((span) => [span.attributes['gen_ai.tool.call.id'] ?? span.name, span]),
    );
    expect(spans.get('t2')?.status.code).toBe(api.SpanStatusCode.ERROR);
    expect(spans.get('t1')?.status.code).toBe(api.SpanStatusCode.UNSET);
    expect(spans.get('invoke_agent')?.attributes).toMatchObject({
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'fake',
      'gen_ai.usage.input_tokens': 11,
      'gen_ai.usage.output_tokens': 7,
      'troupe.turn.outcome': 'ended',
    });
    expect(spans.get('session')?.attributes['gen_ai.agent.id']).toBe('one');
  });

  it('hold a span for each question, inside the tool that it is about, and one for each hook', async () => {
    const { start, supervisor } = traced((prompt) => {
      prompt.cli.say(toolCall('t1', 'Bash'), {
        type: 'control_request',
        request_id: 'r1',
        request: { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 't1', input: { command: SECRET } },
      });
    });
    const session = await start();
    const turn = session.prompt('go');
    await expect.poll(() => supervisor.inbox()).toHaveLength(1);
    await session.permissions.answer(String(supervisor.inbox()[0]?.id), { behavior: 'allow' });
    await session.close();
    await turn.result;

    expect(tree()).toContain('session > invoke_agent > execute_tool t1 > permission t1');
    const question = exporter.getFinishedSpans().find(({ name }) => name === 'permission');
    expect(question?.attributes).toMatchObject({
      'troupe.permission.kind': 'tool',
      'troupe.permission.outcome': 'allowed',
    });
  });

  it('end with the process that was lost, and the session is an error', async () => {
    const { start, fleet } = traced((prompt) => prompt.cli.say(toolCall('t1', 'Bash')));
    const session = await start();
    const turn = session.prompt('go');
    await turn.accepted;
    await expect.poll(() => fleet.prompts.length).toBe(1);
    fleet.started[0]?.exit(7);
    await session.ended;

    expect(tree()).toEqual(['session', 'session > invoke_agent', 'session > invoke_agent > execute_tool t1']);
    const [root] = exporter.getFinishedSpans().filter(({ name }) => name === 'session');
    expect(root?.status.code).toBe(api.SpanStatusCode.ERROR);
    expect(root?.attributes['error.type']).toEqual(expect.any(String));
  });

  it('belong to the span that is active where the session is started', async () => {
    const { start } = traced();
    const outer = api.trace.getTracer('test').startSpan('outer');
    const session = await api.context.with(api.trace.setSpan(api.context.active(), outer), () => start());
    await session.close();
    outer.end();

    expect(tree()).toEqual(['outer', 'outer > session']);
  });

  it('tell nothing that was said: no prompt, no answer, no input and no output of a tool (P11)', async () => {
    const { start } = traced((prompt) => {
      prompt.cli.say(toolCall('t1', 'Bash'), toolResult('t1'));
      prompt.complete(SECRET);
    });
    const session = await start();
    await session.prompt(SECRET).result;
    await session.close();

    const told = exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(told.length).toBeGreaterThan(2);
    expect(JSON.stringify(told)).not.toContain(SECRET);
  });

  it('are all ended when nobody wants them any more', async () => {
    const { start, stop } = traced((prompt) => prompt.cli.say(toolCall('t1', 'Bash')));
    const session = await start();
    await session.prompt('go').accepted;
    await expect.poll(() => session.turns().length).toBe(1);
    stop();

    expect(tree()).toContain('session > invoke_agent');
    await session.kill();
    expect(exporter.getFinishedSpans().filter(({ name }) => name === 'session')).toHaveLength(1);
  });

  it('cost nobody anything without a provider, or with one that throws', async () => {
    const fleet = memoryFleet();
    const supervisor = createSupervisor({ spawn: fleet.open, reap: 'off' });
    const broken = {
      context: api.context,
      trace: {
        getTracer: () => ({
          startSpan: () => {
            throw new Error('a broken provider');
          },
        }),
        setSpan: api.trace.setSpan,
      },
    };
    onTestFinished(traceFleet(supervisor, broken));
    const session = await supervisor.start({ id: 'one' });
    expect((await session.prompt('go').result).outcome).toBe('completed');
    await supervisor.shutdown();
  });
});
