// One measurement in a process of its own: `node worker.mjs '{"adapter":"troupe","scenario":"streamed", …}'` prints its figures as
// JSON. Nothing is imported before it is known what is measured.
const { scenario, ...spec } = JSON.parse(process.argv[2]);
const { run } = await import(`./scenarios/${scenario}.mjs`);
const figures = await run(spec);
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
