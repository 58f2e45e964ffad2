import { defineConfig } from 'vite';

/** The page of `troupe serve`: static files that ask nobody but the server they come from. */
export default defineConfig({
  root: 'src/dashboard',
  // It may be served below any path.
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // An inlined asset is a `data:` address, which the content security policy of the server forbids.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
});
