import { connect, type Socket } from 'node:net';
import { createServer, type Server } from '../../../src/server/server.ts';
import { createSupervisor, type Supervisor } from '../../../src/supervision/supervisor.ts';
import { isRecord } from '../../../src/wire/fields.ts';
import { deltaOf } from '../../server/runs.ts';
import { memoryFleet } from '../../supervision/memory-cli.ts';
import { jsonOf } from '../json-input.ts';
import { type FuzzRunner, type FuzzTarget, holds, IN_MEMORY, shortened } from '../target.ts';
import { frameOf, framesIn } from '../web-socket-frames.ts';

const TOKEN = 'owner-token-that-nobody-can-guess-0123456789';
/** A new server after so many connections: what they started must not gather. */
const CONNECTIONS_PER_SERVER = 150;
const GATHERED_MS = 20;
/** What came at once goes out as frames that are made once for all: between those, others must stay whole. */
const PIECES = Buffer.concat(
  ['one', 'zwei', 'x'.repeat(200), '\u00fc'].flatMap((text) => [deltaOf(text), Buffer.from('\n')]),
);
/** More of one part is no new case. */
const MOST_PARTS = 60;

interface Stage {
  readonly supervisor: Supervisor;
  readonly server: Server;
}

/** `parts` of what goes over the connection: a text as it is, or a frame, well made or not. */
export const target: FuzzTarget = {
  name: 'sockets',
  promise:
    'P6, P9, P10 Whatever comes over a WebSocket or TCP, what goes back is well made, and others are served as before.',
  format: 'json',
  seeds: () => SEEDS.map((seed) => Buffer.from(JSON.stringify(seed))),
  open,
};

async function open(): Promise<FuzzRunner> {
  let stage = await openStage();
  let made = 0;
  return {
    run: async (input) => {
      made += 1;
      if (made % CONNECTIONS_PER_SERVER === 0) {
        await closeStage(stage);
        stage = await openStage();
      }
      const { isWeb, bytes } = partsOf(input);
      const stranger = isWeb ? await Peer.overWeb(stage.server) : await Peer.overTcp(stage.server);
      for (const piece of bytes) stranger.write(piece);
      for (const other of [await Peer.overWeb(stage.server), await Peer.overTcp(stage.server)]) {
        other.say({ jsonrpc: '2.0', id: 'me', method: 'initialize', params: { ...HELLO, token: TOKEN } });
        holds(await other.hears('"id":"me"'), `Another is not welcomed: ${shortened(other.heard)}`);
        other.leave();
      }
      await stranger.quiet();
      stranger.leave();
      stranger.check();
    },
    close: () => closeStage(stage),
  };
}

async function openStage(): Promise<Stage> {
  const fleet = memoryFleet((prompt) => {
    prompt.cli.peer.output(PIECES);
    prompt.complete();
  });
  const supervisor = createSupervisor({ spawn: fleet.open, ...IN_MEMORY, limits: { maxSessions: 20 } });
  const session = await supervisor.start({ id: 'known' });
  await session.prompt('Hello', { id: 'p1' }).result;
  const tokens = [{ name: 'owner', token: TOKEN, scopes: ['read', 'answer', 'control'] as const }];
  const timeouts = { requestMs: 500, heartbeatMs: 1_000, closeMs: 100 };
  const server = await createServer({ supervisor, tokens, dashboard: false, port: 0, tcpPort: 0, timeouts });
  return { supervisor, server };
}

async function closeStage({ supervisor, server }: Stage): Promise<void> {
  await server.close();
  await supervisor.shutdown({ timeoutMs: 1_000 });
}

/** One end of a connection, and all that came over it. */
class Peer {
  readonly #socket: Socket;
  readonly #isWeb: boolean;
  #received = Buffer.alloc(0);
  #onNews: () => void = () => {};

  private constructor(socket: Socket, isWeb: boolean) {
    this.#socket = socket;
    this.#isWeb = isWeb;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#onNews();
    });
    socket.on('close', () => this.#onNews());
    // It is refused now and then, and may end as it likes.
    socket.on('error', () => {});
  }

  static async overTcp({ tcpAddress }: Server): Promise<Peer> {
    return new Peer(await connected(tcpAddress?.port ?? 0), false);
  }

  static async overWeb(server: Server): Promise<Peer> {
    const socket = await connected(server.address.port);
    const peer = new Peer(socket, true);
    socket.write(
      `GET /v1/ws?session=known HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    holds(await peer.hears('\r\n\r\n'), 'The connection is not upgraded.');
    const end = peer.#received.indexOf('\r\n\r\n');
    holds(peer.heard.startsWith('HTTP/1.1 101 '), () => `It is not upgraded: ${shortened(peer.heard)}`);
    peer.#received = peer.#received.subarray(end + 4);
    return peer;
  }

  get heard(): string {
    return this.#received.toString('latin1');
  }

  write(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  say(value: unknown): void {
    const text = JSON.stringify(value);
    this.write(this.#isWeb ? frameOf({ payload: text }) : Buffer.from(`${text}\n`));
  }

  /** Resolves with whether it came, once it came or nothing more will. */
  async hears(text: string): Promise<boolean> {
    while (!this.#received.includes(text)) {
      if (this.#socket.destroyed) return false;
      await new Promise<void>((resolve) => {
        this.#onNews = resolve;
      });
    }
    return true;
  }

  /** Resolves when nothing has come for longer than frames are gathered. */
  async quiet(): Promise<void> {
    for (let before = -1; before < this.#received.length && !this.#socket.destroyed; ) {
      before = this.#received.length;
      await new Promise((resolve) => setTimeout(resolve, GATHERED_MS));
    }
  }

  leave(): void {
    this.#socket.destroy();
  }

  /** What came is frames of JSON-RPC, the last may be on its way. */
  check(): void {
    const texts = this.#isWeb ? framesIn(this.#received) : this.#received.toString().split('\n').slice(0, -1);
    for (const text of texts) {
      const frames: unknown = JSON.parse(text);
      for (const frame of Array.isArray(frames) ? frames : [frames])
        holds(isRecord(frame) && frame['jsonrpc'] === '2.0', () => `No frame of JSON-RPC: ${shortened(text)}`);
    }
  }
}

function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** What is no list of parts goes out as it is. */
function partsOf(input: Buffer): { isWeb: boolean; bytes: Buffer[] } {
  const script = jsonOf(input);
  if (!isRecord(script)) return { isWeb: input.length % 2 === 0, bytes: [input] };
  const parts: unknown[] = Array.isArray(script['parts']) ? script['parts'] : [script['parts']];
  const isWeb = script['over'] === 'web';
  return { isWeb, bytes: parts.slice(0, MOST_PARTS).map((part) => bytesOf(part)) };
}

function bytesOf(part: unknown): Buffer {
  if (typeof part === 'string') return Buffer.from(part, 'latin1');
  return isRecord(part) ? frameOf(part) : Buffer.from(`${JSON.stringify(part)}\n`);
}

const HELLO = { protocol_version: '1.0', capabilities: { streaming: true, progress: true, messages: true } };
const TEXT = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { ...HELLO, token: TOKEN } });
/** Wants lines and nothing else: so they come as runs that are made once. */
const LINES = TEXT.replace('"streaming":true,"progress":true,', '');
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'session_list', params: {} });
const ATTACH = JSON.stringify({
  jsonrpc: '2.0',
  id: 3,
  method: 'session_attach',
  params: { session_id: 'known', from_seq: 1 },
});
const PROMPT = JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'user_message', params: { content: 'Hello' } });

const SEEDS: readonly unknown[] = [
  { over: 'web', parts: [{ payload: LINES }, { payload: ATTACH }, { payload: PROMPT }] },
  { over: 'tcp', parts: [`${LINES}\n`, `${ATTACH}\n`, `${PROMPT}\n`] },
  {
    over: 'web',
    parts: [{ payload: TEXT }, { payload: ATTACH }, { payload: PROMPT }, { op: 8, payload: '\u0003\u00e8' }],
  },
  { over: 'web', parts: [{ payload: TEXT.slice(0, 20), fin: false }, { op: 9 }, { op: 0, payload: TEXT.slice(20) }] },
  { over: 'web', parts: [{ payload: TEXT, masked: false }] },
  { over: 'web', parts: [{ payload: TEXT, length: 5_000_000_000 }, { payload: LIST }] },
  {
    over: 'web',
    parts: [{ payload: TEXT }, { payload: LIST, rsv: 4 }, { op: 3, payload: 'x' }, { op: 2, payload: LIST }],
  },
  { over: 'web', parts: [{ payload: TEXT }, { op: 9, payload: 'x'.repeat(126) }, { op: 8, payload: 'x' }] },
  { over: 'web', parts: [{ payload: TEXT }, { payload: '\u00ed\u00a0\u0080' }, { payload: 'x', repeat: 1_100_000 }] },
  { over: 'tcp', parts: [`${TEXT}\n`, `${ATTACH}\n`, `${PROMPT}\n`] },
  { over: 'tcp', parts: [TEXT.slice(0, 30), `${TEXT.slice(30)}\n${LIST}\r\n\n${LIST}`] },
  { over: 'tcp', parts: [`[${TEXT},${LIST}]\n`, `[]\n[[]]\n${'['.repeat(3_000)}\n`] },
  { over: 'tcp', parts: [`${TEXT}\n`, { payload: LIST }, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'] },
];
