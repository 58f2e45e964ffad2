import { z } from 'zod';
import { childMachine } from '../../machines/child/child.machine.ts';
import { sessionMachine } from '../../machines/session/session.machine.ts';
import { Facts } from '../api/session-answers.ts';
import type { Group } from '../supervision/group.ts';
import type { App, ServerContext } from './app.ts';
import { described } from './route-schema.ts';

const Drain = z.strictObject({ timeoutMs: z.number().positive().exactOptional() });

/** Levels of groups in groups that are shown. */
const MAX_DEPTH = 32;

/** The supervisor: what it does, what it may, what was spent, and its tree. */
export function supervisorRoutes(app: App, { supervisor, settings }: ServerContext): void {
  const definitions = { session: definitionOf(sessionMachine), child: definitionOf(childMachine) };

  app.get(
    '/v1/supervisor',
    {
      config: { scope: 'read' },
      schema: described('getSupervisor', 'What the supervisor does and why, its load, money, accounts and groups.', {
        tag: 'supervisor',
        response: { 200: Facts },
      }),
    },
    async () => ({
      state: supervisor.state,
      explanation: supervisor.explain(),
      load: supervisor.load(),
      ledger: supervisor.ledger(),
      accounts: supervisor.accounts(),
      groups: supervisor.groups().map((group) => treeOf(group, 1)),
      roots: settings.roots,
      openOptions: settings.openOptions,
    }),
  );

  app.post(
    '/v1/drain',
    {
      config: { scope: 'control' },
      schema: described('drain', 'Admits nothing new, lets turns end, then stops every session.', {
        tag: 'supervisor',
        body: Drain.nullish(),
        documentedBody: Drain,
        response: { 202: Facts },
      }),
    },
    async (request, reply) => {
      supervisor.drain(request.body ?? {}).catch((error: unknown) => {
        settings.logger?.error({ err: error }, 'A drain failed.');
      });
      return reply.code(202).send(supervisor.explain());
    },
  );

  app.post(
    '/v1/accounts/:key/resume',
    {
      config: { scope: 'control' },
      schema: described('resumeAccount', 'Has an account at its limit, or without a login, tried again now.', {
        tag: 'supervisor',
        params: z.strictObject({ key: z.string().min(1).max(500) }),
        response: { 204: z.null() },
      }),
    },
    async (request, reply) => {
      supervisor.resumeAccount(request.params.key);
      return reply.code(204).send();
    },
  );

  app.get(
    '/v1/machines',
    {
      config: { scope: 'read' },
      schema: described('getMachines', 'The definitions of the machines that a session goes through.', {
        tag: 'supervisor',
        response: { 200: z.strictObject({ session: Facts, child: Facts }) },
      }),
    },
    async () => definitions,
  );
}

/** Only what JSON can hold: functions stay here. */
function definitionOf(machine: { readonly definition: unknown }): Record<string, unknown> {
  return JSON.parse(JSON.stringify(machine.definition));
}

function treeOf(group: Group, depth: number): Record<string, unknown> {
  const told = group.explain();
  const children = told.children.map((child) => {
    const inner = child.kind === 'group' && depth < MAX_DEPTH ? group.group(child.id) : undefined;
    return inner === undefined ? child : { ...child, group: treeOf(inner, depth + 1) };
  });
  return { ...told, children };
}
