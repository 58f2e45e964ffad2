import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'rolldown';

/** What a user, Node or another process begins with: each becomes a file at the same place below dist. */
const ENTRIES = [
  'machines/index',
  'src/index',
  'src/wire/index',
  'src/server/index',
  'src/client/index',
  'src/telemetry/index',
  'src/testing/index',
  'src/cli/main',
  'src/cli/demo/main',
  'src/store/sqlite/thread-program',
  'src/supervision/lost-host',
  'src/testing/fake-cli/main',
  'src/testing/fake-cli/replay-main',
  'src/transport/spawner-program',
  // Hosts of the tests that have processes and no session; the compiler of the sources would make them big ones.
  'src/transport/spawner-use',
  'src/transport/subprocess-transport',
];

/** Zod as a package is a hundred files, most of them translations of its messages; the part in use is one. */
const INSIDE = ['zod'];

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(ROOT, 'dist');
const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
const OUTSIDE = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }).filter(
  (name) => !INSIDE.includes(name),
);
/** Stands for the way from a file to dist until that is known. */
const WAY = '__way_to_dist__';

/**
 * The code of the package in few files: Node takes longer to find and read a module than to compile it. What several entries
 * need is in files that they share, so that each class is there once, whichever entry it comes from.
 */
export default defineConfig({
  cwd: ROOT,
  input: Object.fromEntries(ENTRIES.map((entry) => [entry, `${entry}.ts`])),
  platform: 'node',
  // Whatever else is imported becomes part of the output, or is an error: nothing is left to the luck of an installation.
  external: (id) => id.startsWith('node:') || OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`)),
  tsconfig: false,
  transform: { target: 'es2023' },
  plugins: [addressesOfModules(), withoutOldCode(), licenses()],
  onLog(level, log) {
    if (level === 'warn') throw new Error(log.message);
  },
  output: {
    dir: DIST,
    format: 'esm',
    // For ourselves: the package has none of them, and must not name what it has not.
    sourcemap: 'hidden',
    // What the code is called stands in the traces of errors.
    minify: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'code/[name].js',
    codeSplitting: { groups: INSIDE.map((name) => ({ name, test: new RegExp(`node_modules[\\\\/]${name}[\\\\/]`) })) },
  },
});

/** A module that asks where it is hears the place that it would have below dist by itself, whatever file it is in. */
function addressesOfModules(): Plugin {
  return {
    name: 'addresses-of-modules',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        const place = relative(ROOT, id).replaceAll(sep, '/').replace(/\.ts$/, '.js');
        const address = `new URL('${WAY}/${place}', import.meta.url).href`;
        return { code: code.replaceAll('import.meta.url', address), map: null };
      },
    },
    renderChunk(code, chunk) {
      if (!code.includes(WAY)) return null;
      return { code: code.replaceAll(WAY, posix.relative(posix.dirname(chunk.fileName), '') || '.'), map: null };
    },
  };
}

/** Code of an earlier build that this one does not have would be packed, and found by whoever looks for a neighbour. */
function withoutOldCode(): Plugin {
  return {
    name: 'without-old-code',
    generateBundle() {
      if (!existsSync(DIST)) return;
      // Types are in the same folders, and stay: whoever makes them knows which ones are there.
      for (const file of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
        if (/^(code|src|machines)\b.*\.js(\.map)?$/.test(file)) rmSync(join(DIST, file));
      }
    },
  };
}

/** Who wrote what is inside, and under which terms. */
function licenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle() {
      for (const name of INSIDE) {
        const source = readFileSync(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8');
        this.emitFile({ type: 'asset', fileName: `code/${name}.LICENSE`, source });
      }
    },
  };
}
