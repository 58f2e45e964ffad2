/** Writes to standard output, and waits while it is full: a slow reader must not fill our memory. */
export async function write(text: string | Buffer): Promise<void> {
  const { stdout } = process;
  if (stdout.destroyed || stdout.write(text)) return;
  // A reader that left is a reason to leave, which `watchOutput` tells; here it only must not be waited for.
  await new Promise<void>((resolve) => {
    const go = (): void => {
      for (const name of ENDS_OF_WAITING) stdout.off(name, go);
      resolve();
    };
    for (const name of ENDS_OF_WAITING) stdout.on(name, go);
  });
}

const ENDS_OF_WAITING = ['drain', 'close', 'error'] as const;
