// One measurement in a process of its own: `node worker.mjs '{"adapter":"troupe","scenario":"stream", …}'` prints its figures as JSON.
const spec = JSON.parse(process.argv[2]);
const { SCENARIOS } = await import('./scenarios.mjs');
const figures = await SCENARIOS[spec.scenario](spec);
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
