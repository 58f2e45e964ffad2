import type { SessionOptions } from '../../launch/session-options.ts';
import { createServer } from '../../server/server.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import type { Scene } from './scenes.ts';

/** The scenes on a page of the browser, until `left`: its questions wait for whoever looks at it, and every session takes more prompts. */
export async function openHouse(
  supervisor: Supervisor,
  scenes: readonly Scene[],
  setting: SessionOptions,
  { print, left }: { readonly print: (text: string) => void; readonly left: Promise<unknown> },
): Promise<void> {
  const server = await createServer({ supervisor, port: 0, roots: [setting.cwd ?? process.cwd()] });
  try {
    print(`Open this in a browser of this machine: ${server.loginUrl()}\n\n`);
    await Promise.all(scenes.map((scene) => begin(supervisor, scene, setting)));
    print('The address works once. One session waits for your permission; Ctrl-C ends the demo.\n');
    await left;
  } finally {
    await server.close();
  }
}

async function begin(supervisor: Supervisor, scene: Scene, setting: SessionOptions): Promise<void> {
  const session = await supervisor.start({ ...setting, ...scene.options, id: scene.id });
  await session.prompt(scene.prompt).accepted;
}
