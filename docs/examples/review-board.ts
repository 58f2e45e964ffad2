import { createSupervisor } from 'troupe';
import { createActor, toPromise } from 'xstate';
import { offlineStage } from './offline-stage.ts';
import { reviewBoard } from './review-board.machine.ts';

await using stage = await offlineStage();
await using supervisor = createSupervisor({ limits: { maxStarting: 3 } });

const board = createActor(reviewBoard(['style', 'facts', 'tone']), {
  input: {
    draft: 'Our second version: supervised actors.',
    start: (id) => (options) => supervisor.start({ ...stage.setting, ...options, id }),
  },
});
board.subscribe(({ value, context }) => console.log(JSON.stringify(value), context.votes));
board.start();
console.log(await toPromise(board));
