import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Characters of the text of one token line. */
const TEXT_CHARACTERS = 7;
/** Lines of a turn beside those that were asked for. */
const FRAME_LINES = 9;
/** A secret to look for, as every host has one. */
const SECRET = 'sk-ant-api03-of-nobody-0123456789abcdef';

/** A peer with its sessions, each of which can be prompted at once with the others. */
export class Fleet {
  host;
  members = [];
  #kind;
  #folder;
  #least = 0;

  constructor(host, kind, folder) {
    this.host = host;
    this.#kind = kind;
    this.#folder = folder;
  }

  /** `sessions` are opened; `room` is how many there may be. `isKept`: Troupe keeps them in a file. */
  static async open({ adapter, cli, sessions = 1, room = sessions, server, isKept = false, kind, ...rest }) {
    process.env['ANTHROPIC_API_KEY'] = SECRET;
    if (server !== undefined) process.env['BENCH_SERVER'] = server;
    const { openHost } = await import(`../adapters/${adapter}.mjs`);
    const folder = isKept ? await mkdtemp(join(tmpdir(), 'troupe-bench-store-')) : undefined;
    const store = folder === undefined ? {} : { store: join(folder, 'bench.db') };
    const fleet = new Fleet(openHost({ cli, env: {}, sessions: room, server, kind, ...store, ...rest }), kind, folder);
    await fleet.add(sessions);
    return fleet;
  }

  /** Opens so many more, a few at a time. */
  async add(count, atOnce = 8) {
    for (let added = 0; added < count; added += atOnce) {
      const starts = Array.from({ length: Math.min(atOnce, count - added) }, () => this.start());
      await Promise.all(starts);
    }
  }

  async start() {
    this.started += 1;
    const member = await this.host.start(this.started);
    this.members.push(member);
    return member;
  }

  started = 0;

  /** The same turn in each session; resolves with the texts of the results when every subscriber has all of it. */
  turn(words, lines = 0) {
    return Promise.all(this.members.map((member, index) => this.one(member, words(index), lines)));
  }

  one(member, words, lines = 0) {
    this.#least = Math.max(this.#least, lines);
    const units = this.#kind === 'text' ? lines * TEXT_CHARACTERS : lines + FRAME_LINES;
    return member.run(`BENCH ${words}`, { units: this.#kind === undefined ? 0 : units, uuid: randomUUID() });
  }

  /** A reader that was not given everything was cheap: that is no figure. */
  requireComplete() {
    const missed = this.members.reduce((sum, member) => sum + member.missed, 0);
    if (missed > 0) throw new Error(`The subscribers lagged: they were told that they missed ${missed} lines.`);
    const empty = this.members.filter(({ taken }) => taken !== undefined && taken.count < this.#least);
    if (empty.length > 0)
      throw new Error(`${empty.length} subscribers got less than ${this.#least} lines or characters.`);
  }

  async close() {
    await this.host.close();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}
