import { TroupeError } from '../../src/errors.ts';
import { Reader } from './clients.ts';
import type { Step } from './script.ts';
import { askTeam, isMember } from './team.ts';
import type { World } from './world.ts';
import { settled } from './world-clock.ts';

/** Has one step happen, and everything that follows from it without time passing. */
export async function play(world: World, step: Step, index: number): Promise<void> {
  if (step.do === 'race') {
    for (const [place, rival] of step.steps.entries()) begin(world, rival, index * 10 + place);
  } else if (step.do === 'pass') await world.pass(step.ms);
  else if (step.do === 'crash') await crash(world, index);
  else if (step.do === 'handover' || step.do === 'drain') await comeDown(world, step.do);
  else begin(world, step, index);
  await settled();
  for (const reader of world.clients.readers) if (reader.isSlow) reader.step();
  await settled();
}

async function crash(world: World, index: number): Promise<void> {
  if (!world.setting.hasStore) return;
  await world.loseHost(index);
}

/** Asks the supervisor to leave, waits for it, and opens the next one. */
export async function comeDown(world: World, how: 'handover' | 'drain' | 'shutdown'): Promise<void> {
  const { supervisor, name } = world.host;
  world.isOnTheWayDown = true;
  world.stopAll();
  const call = world.ask(how, '', 90_000, () => supervisor[how]());
  for (let second = 0; second < 200 && call.outcome === 'pending'; second += 1) await world.pass(1_000);
  // A handover that the store does not allow changes nothing.
  if (call.outcome !== 'done' && supervisor.state === 'running') {
    world.isOnTheWayDown = false;
    return;
  }
  if (world.host.name !== name || how === 'shutdown') return;
  world.host.lose();
  world.processes.loseHost(name);
  if (!world.setting.hasStore) world.forgetSessions();
  await world.openNextHost();
}

function begin(world: World, step: Step, salt: number): void {
  const { clients } = world;
  switch (step.do) {
    case 'start':
      start(world, step.session, step.isAsleep);
      break;
    case 'prompt':
      prompt(world, step.session, step.onBusy);
      break;
    case 'repeat':
      repeat(world, step.session);
      break;
    case 'take-back':
      takeBack(world, step.session);
      break;
    case 'answer':
      answer(world, step, salt);
      break;
    case 'read':
      read(world, step);
      break;
    case 'leave':
      clients.readers.filter(({ isOver }) => !isOver)[step.nth]?.leave();
      break;
    case 'cli': {
      const living = world.living();
      living[step.nth % Math.max(1, living.length)]?.cli.act(step.act);
      break;
    }
    case 'fault':
      world.faults.arm(step.kind, step.after, step.code);
      break;
    case 'store':
      if (step.what === 'hold') world.store.hold();
      else world.store.release();
      break;
    case 'team':
      askTeam(world, step);
      break;
    case 'jump':
    case 'freeze':
      world.isTimeStrange = true;
      world.clock[step.do](step.ms);
      break;
    case 'interrupt':
    case 'close':
    case 'kill':
    case 'hibernate':
    case 'restart':
    case 'set-model':
    case 'set-mode':
    case 'resolve':
      command(world, step);
      break;
    default:
  }
}

type Command = Extract<
  Step,
  { do: 'interrupt' | 'close' | 'kill' | 'hibernate' | 'restart' | 'set-model' | 'set-mode' | 'resolve' }
>;

function command(world: World, step: Command): void {
  if (step.do === 'restart' && isMember(world, step.session)) {
    askTeam(world, { what: 'restart-child', session: step.session });
    return;
  }
  const session = world.session(step.session);
  if (session === undefined) return;
  const { stopped, retries } = world.clients;
  if (step.do === 'interrupt' || step.do === 'close' || step.do === 'kill') stopped.add(step.session);
  world.ask(step.do, step.session, 60_000, () => {
    switch (step.do) {
      case 'interrupt':
        return session.interrupt({ cancelQueued: step.cancelQueued });
      case 'set-model':
        return session.setModel(step.value);
      case 'set-mode':
        return session.setPermissionMode(step.value);
      case 'resolve': {
        const [doubt] = session.doubts.pending();
        if (doubt === undefined) return undefined;
        const text = world.textOf(doubt.id);
        if (step.answer === 'retry') retries.set(text, (retries.get(text) ?? 0) + 1);
        return session.doubts.resolve(doubt.id, step.answer);
      }
      default:
        return session[step.do]();
    }
  });
}

function start(world: World, id: string, isAsleep: boolean): void {
  if (isMember(world, id)) {
    askTeam(world, { what: 'start', session: id });
    return;
  }
  if (world.session(id) !== undefined) return;
  const { supervisor } = world.host;
  const options = isAsleep ? { id, autoStart: false } : { id };
  world.ask('start', id, 60_000, () => supervisor.start(options));
}

function prompt(world: World, id: string, onBusy: 'enqueue' | 'steer' | 'interrupt' | 'reject'): void {
  const session = world.session(id);
  if (session === undefined) return;
  const { clients } = world;
  const number = clients.prompts.length + 1;
  const promptId = `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`;
  if (onBusy === 'interrupt') clients.stopped.add(id);
  const text = `do ${id} ${number}`;
  world.ask('prompt', id, 20_000, () => {
    const turn = session.prompt(text, { id: promptId, onBusy });
    const life = world.chronicle(id).lives;
    const sent = { id: promptId, text, session: id, life, acceptance: 'pending' as const, results: [] };
    clients.prompts.push(sent);
    clients.follow(sent, turn);
    return turn.accepted;
  });
}

function repeat(world: World, id: string): void {
  const session = world.session(id);
  const last = world.clients.prompts.findLast((one) => one.session === id);
  if (session === undefined || last === undefined || last.life !== world.chronicle(id).lives) return;
  // Of one that nobody knows here it would be the first time.
  if (session.turn(last.id) === undefined) return;
  world.ask('repeat', id, 20_000, () => {
    const turn = session.prompt(last.text, { id: last.id });
    world.clients.follow(last, turn);
    return turn.accepted;
  });
}

function takeBack(world: World, id: string): void {
  const session = world.session(id);
  const last = world.clients.prompts.findLast((one) => one.session === id);
  if (session === undefined || last === undefined) return;
  world.clients.stopped.add(id);
  world.ask('take-back', id, 40_000, () => session.cancelPrompt(last.id));
}

function answer(world: World, { nth, behavior, rivals }: Extract<Step, { do: 'answer' }>, salt: number): void {
  const { supervisor } = world.host;
  const open = supervisor.inbox();
  const request = open[nth % Math.max(1, open.length)];
  if (request === undefined) return;
  const session = world.session(request.sessionId);
  if (session === undefined) return;
  for (let rival = 0; rival <= rivals; rival += 1) {
    const isOther = rival % 2 === 1;
    const says = isOther ? (behavior === 'allow' ? 'deny' : 'allow') : behavior;
    const by = `client-${salt}-${rival}`;
    const call = world.ask('answer', session.id, 30_000, () =>
      session.permissions.answer(
        request.id,
        says === 'allow' ? { behavior: 'allow' } : { behavior: 'deny', message: `no, says ${by}` },
        { by },
      ),
    );
    world.clients.answers.push({ requestId: request.id, session: session.id, behavior: says, by, call });
  }
}

function read(world: World, { session: id, isSlow, fromShare }: Extract<Step, { do: 'read' }>): void {
  const session = world.session(id);
  if (session === undefined) return;
  const from = Math.floor(fromShare * world.chronicle(id).lastSeq);
  try {
    world.clients.readers.push(
      new Reader(session, { host: world.host.name, chronicle: world.chronicle(id), from, isSlow }),
    );
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
  }
}
