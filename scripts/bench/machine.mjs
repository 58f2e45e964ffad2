import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** On what it was measured, and how busy that was before. */
export function machine() {
  const [{ model } = { model: 'unknown' }] = cpus();
  return {
    cpu: model.trim(),
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${/^[\d.]*\d/.exec(release())?.[0] ?? release()}`,
    node: process.version,
    loadBefore: Number(loadavg()[0].toFixed(1)),
  };
}
