// A program: ends what a host left behind that was killed. Started by `src/transport/host-watch.ts`.
import { reapOrphans } from './reap-orphans.ts';

await reapOrphans();
