// A thread of the fuzzer: the parent reads from outside whether it goes on.
import { register } from 'node:module';

register('../../scripts/typescript-loader.mjs', import.meta.url);
const { work } = await import('./worker-program.ts');
await work();
