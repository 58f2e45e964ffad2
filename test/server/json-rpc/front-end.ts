import { Engine, type EngineOptions } from '../../../src/server/json-rpc/engine.ts';
import type { CutReason, FrontEnd, FrontEndLink, Scope } from '../../../src/server/json-rpc/front-end-link.ts';
import { type MemoryOptions, memoryStage, until } from '../../session/memory-cli.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A front end in memory: what it was sent, and how it speaks. */
export interface TestFrontEnd {
  readonly received: Json[];
  readonly texts: string[];
  readonly cuts: CutReason[];
  say(frame: unknown): void;
  sayText(text: string): void;
  /** Calls a method and gives back the whole response. */
  call(method: string, params?: unknown): Promise<Json>;
  notices(method: string): Json[];
  /** Waits for the newest of so many requests of the engine. */
  asked(method: string, count?: number): Promise<{ readonly id: number; readonly params: Json }>;
  /** Answers a request of the engine. */
  reply(id: number, result: unknown): void;
  hangUp(): void;
  /** From now on it reads nothing. */
  stall(): void;
  readAgain(): void;
}

export async function engineStage(options: MemoryOptions = {}, engineOptions: Partial<EngineOptions> = {}) {
  const stage = await memoryStage(options);
  const { supervisor, clock } = stage;
  const engine = new Engine({
    supervisor,
    clock,
    startSession: (_, id) => supervisor.start(id === undefined ? {} : { id }),
    ...engineOptions,
  });
  const connect = (name = 'ada', scopes: readonly Scope[] = ['read', 'answer', 'control'], sessionId?: string) =>
    frontEndOf(engine, { name, scopes: new Set(scopes) }, sessionId);
  /** A front end that works on the session of the stage and has said hello. */
  const join = async (name?: string, hello: Json = {}, scopes?: readonly Scope[]) => {
    const frontEnd = connect(name, scopes, 'review');
    await frontEnd.call('initialize', { protocol_version: '1.0', ...hello });
    return frontEnd;
  };
  return { ...stage, engine, connect, join };
}

function frontEndOf(engine: Engine, who: FrontEnd, sessionId: string | undefined): TestFrontEnd {
  const received: Json[] = [];
  const texts: string[] = [];
  const cuts: CutReason[] = [];
  const answered = new Map<unknown, (answer: Json) => void>();
  const pipe = slowPipe();
  const link: FrontEndLink = {
    get bufferedBytes() {
      return pipe.held();
    },
    send: (text) => {
      pipe.take(text.length);
      texts.push(text);
      const frame: Json = JSON.parse(text);
      received.push(frame);
      if (!('method' in frame)) answered.get(frame['id'])?.(frame);
    },
    drained: () => pipe.drained(),
    close: (reason) => {
      cuts.push(reason);
      pipe.empty();
    },
  };
  const connection = engine.accept(link, who, sessionId);
  const say = (frame: unknown) => connection.receive(JSON.stringify(frame));
  let nextId = 0;
  return {
    received,
    texts,
    cuts,
    say,
    sayText: (text) => connection.receive(text),
    call: (method, params) => {
      nextId += 1;
      const id = `call-${nextId}`;
      const answer = new Promise<Json>((resolve) => answered.set(id, resolve));
      say({ jsonrpc: '2.0', id, method, params });
      return answer;
    },
    notices: (method) =>
      received.filter((frame) => frame['method'] === method && !('id' in frame)).map(({ params }) => params as Json),
    asked: async (method, count = 1) => {
      const requests = () => received.filter((frame) => frame['method'] === method && 'id' in frame);
      await until(() => requests().length >= count);
      const { id, params } = requests()[count - 1] ?? {};
      return { id: Number(id), params: params as Json };
    },
    reply: (id, result) => say({ jsonrpc: '2.0', id, result }),
    hangUp: () => connection.ended(),
    stall: pipe.stall,
    readAgain: pipe.empty,
  };
}

/** Counts what nobody reads. */
function slowPipe() {
  let bytes = 0;
  let isStalled = false;
  let release = () => {};
  return {
    held: () => bytes,
    take: (count: number) => {
      if (isStalled) bytes += count;
    },
    stall: () => {
      isStalled = true;
    },
    empty: () => {
      isStalled = false;
      bytes = 0;
      release();
    },
    drained: () =>
      new Promise<void>((resolve) => {
        if (bytes === 0) resolve();
        else release = resolve;
      }),
  };
}
