import { randomUUID } from 'node:crypto';

/** Characters of the text of one token line. */
const TEXT_CHARACTERS = 7;
/** Lines of a turn beside those that were asked for. */
const FRAME_LINES = 9;
/** A secret to look for, as every host has one. */
const ENVIRONMENT = { ANTHROPIC_API_KEY: 'sk-ant-api03-of-nobody-0123456789abcdef' };

/** A peer with so many sessions open, each of which can be prompted at once with the others. */
export async function openFleet({ adapter, cli, sessions = 1, atOnce = 8, server, ...rest }) {
  Object.assign(process.env, ENVIRONMENT, server === undefined ? {} : { BENCH_SERVER: server });
  const { openHost } = await import(`../adapters/${adapter}.mjs`);
  const host = openHost({ cli, env: {}, sessions, server, ...rest });
  const members = [];
  for (let index = 0; index < sessions; index += atOnce) {
    const some = Math.min(atOnce, sessions - index);
    members.push(...(await Promise.all(Array.from({ length: some }, (_, offset) => host.start(index + offset)))));
  }
  return new Fleet(host, members, rest.kind);
}

class Fleet {
  host;
  members;
  #kind;

  constructor(host, members, kind) {
    this.host = host;
    this.members = members;
    this.#kind = kind;
  }

  /** The same turn in each session; resolves with the texts of the results when every subscriber has all of it. */
  async turn(words, lines = 0) {
    return Promise.all(this.members.map((member, index) => this.one(member, words(index), lines)));
  }

  one(member, words, lines = 0) {
    const units = this.#kind === 'text' ? lines * TEXT_CHARACTERS : lines + FRAME_LINES;
    return member.run(`BENCH ${words}`, { units: this.#kind === undefined ? 0 : units, uuid: randomUUID() });
  }

  close() {
    return this.host.close();
  }
}
