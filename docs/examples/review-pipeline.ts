import { createSupervisor } from 'troupe';
import { createActor, toPromise } from 'xstate';
import { offlineStage } from './offline-stage.ts';
import { reviewPipeline } from './review-pipeline.machine.ts';

await using stage = await offlineStage();
await using supervisor = createSupervisor();

const pipeline = createActor(reviewPipeline, {
  input: {
    task: 'what is Troupe?',
    maxRounds: 3,
    writer: ({ signal }) => supervisor.start({ ...stage.setting, id: 'writer', signal }),
    reviewer: ({ signal }) => supervisor.start({ ...stage.setting, id: 'reviewer', signal }),
  },
});
pipeline.subscribe(({ value, context }) => console.log(JSON.stringify(value), context.draft));
pipeline.start();
console.log(await toPromise(pipeline));
