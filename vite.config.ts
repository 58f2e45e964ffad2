import { defineConfig, type Plugin } from 'vite';
import { drawn } from './src/dashboard/chart/chart-layout.ts';
import { chartOfMachines } from './src/dashboard/chart/chart-of-machines.ts';

/** The page of `troupe serve`: static files that ask nobody but the server they come from. */
export default defineConfig({
  root: 'src/dashboard',
  // It may be served below any path.
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [drawnChart()],
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // An inlined asset is a `data:` address, which the content security policy of the server forbids.
    assetsInlineLimit: 0,
    modulePreload: false,
    // Nearly all of it is the layout of the chart, as it should be.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});

/** `virtual:chart`: the machines as they are, with a place for each state, so that no browser has to find one. */
function drawnChart(): Plugin {
  return {
    name: 'drawn-chart',
    resolveId: (id) => (id === 'virtual:chart' ? `\0${id}` : undefined),
    load: async (id) =>
      id === '\0virtual:chart' ? `export const chart = ${JSON.stringify(await drawn(chartOfMachines()))};` : undefined,
  };
}
