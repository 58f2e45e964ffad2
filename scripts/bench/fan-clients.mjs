// So many clients of one session in a process of their own. Told `begin`, they answer when each has got all lines: how many, and how
// long they were under way.
import { request } from 'node:http';
import { WebSocket } from 'ws';

const STAMP = /text\\?":\\?"([0-9a-f]{16})\\?"/g;
const LONGEST_FRAME = 1_024;

const { way, clients, at } = JSON.parse(process.argv[2]);
let wanted = Number.POSITIVE_INFINITY;
let tookUs = [];
let behind = 0;

class Client {
  #got = 0;
  #rest = '';

  begin() {
    this.#got = 0;
  }

  /** SSE comes in pieces: what may be half of a stamp waits for the rest. */
  take(text) {
    const all = this.#rest + text;
    let end = 0;
    for (const match of all.matchAll(STAMP)) {
      end = match.index + match[0].length;
      this.#note(match[1]);
    }
    this.#rest = way === 'websocket' ? '' : all.slice(Math.max(end, all.length - LONGEST_FRAME));
  }

  #note(digits) {
    const [seconds, nanoseconds] = process.hrtime();
    tookUs.push((seconds * 1e9 + nanoseconds - Number.parseInt(digits, 16)) / 1e3);
    this.#got += 1;
    if (this.#got !== wanted) return;
    behind -= 1;
    if (behind === 0) report();
  }
}

function report() {
  const sorted = tookUs.toSorted((one, other) => one - other);
  const quantile = (share) => sorted[Math.floor((sorted.length - 1) * share)];
  process.send({ delivered: sorted.length, p50Ms: quantile(0.5) / 1e3, p99Ms: quantile(0.99) / 1e3 });
}

async function overSocket(client) {
  const socket = new WebSocket(at.websocket, { headers: at.headers });
  // It is attached when its last call was answered; a relay says hello.
  const attached = new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.on('message', (data) => {
      const text = data.toString('latin1');
      if (at.hello.length === 0 || text.includes('"id":1')) resolve();
      client.take(text);
    });
  });
  socket.once('open', () => {
    for (const call of at.hello) socket.send(JSON.stringify(call));
  });
  await attached;
}

async function overEvents(client) {
  const response = await new Promise((resolve, reject) => {
    request(at.sse, { headers: at.headers }, resolve).on('error', reject).end();
  });
  response.setEncoding('latin1').on('data', (text) => client.take(text));
}

const open = { websocket: overSocket, sse: overEvents }[way];
const all = Array.from({ length: clients }, () => new Client());
await Promise.all(all.map(open));
process.on('message', ({ lines }) => {
  wanted = lines;
  behind = clients;
  tookUs = [];
  for (const client of all) client.begin();
  process.send({});
});
process.on('disconnect', () => process.exit(0));
process.send({});
