import { type Command, Option } from 'commander';
import type { TroupeClient } from '../../client/troupe-client.ts';
import { examples, exitCodes } from '../examples.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type LinkFlags, linkOptions, serverLink } from '../link/server-link.ts';
import { seconds } from '../numbers.ts';
import { promptText } from '../prompt-text.ts';
import { type AllowFlags, approve, type DenyFlags, deny, inputOf, showInbox } from './inbox-command.ts';
import { withSession } from './meant-session.ts';
import { type PromptFlags, sendPrompt } from './prompt-command.ts';
import { drain, explain, interrupt, stop } from './session-commands.ts';

type Finish = (work: Promise<ExitCode>) => Promise<void>;
type Flags = LinkFlags & { readonly json?: true };

const SESSION = ['<session>', 'the id of the session; troupe ps lists them'] as const;
const PROMPT = ['[prompt]', 'the prompt; "-", or nothing with a pipe, reads standard input'] as const;

/** The commands that ask something of a server. */
export function addFleetCommands(program: Command, finish: Finish): void {
  addPrompting(program, finish);
  addAnswering(program, finish);
  addEnding(program, finish);
  const explaining = serverCommand(program, 'explain', 'Says where a session is, why, and what happens next.')
    .argument('[session]', 'the session; without one, the supervisor is explained')
    .action((id: string | undefined, flags: Flags) =>
      finish(
        id === undefined
          ? asking(flags, (client) => explain(client, id, flags))
          : about(id, flags, (client) => explain(client, id, flags)),
      ),
    );
  examples(explaining, [
    ['troupe explain review-1', 'why it is where it is, and what would move it on'],
    ['troupe explain', 'the same of the supervisor, while it drains for example'],
    ['troupe explain review-1 --json | jq .deadlines', 'for programs'],
  ]);
}

function addPrompting(program: Command, finish: Finish): void {
  const prompt = serverCommand(program, 'prompt', 'Sends a prompt to a session and streams the answer.')
    .argument(...SESSION)
    .argument(...PROMPT)
    .option('--no-wait', 'print the id of the prompt as soon as no crash can lose it')
    .option('--id <id>', 'the id of the prompt: the same id with the same text runs once (default: made up)')
    .addOption(
      new Option('--on-busy <how>', 'what happens while the session works (default: enqueue)').choices([
        'enqueue',
        'steer',
        'interrupt',
        'reject',
      ]),
    )
    .action((session: string, text: string | undefined, flags: Flags & PromptFlags) =>
      finish(
        about(session, flags, async (client) => sendPrompt(client, { session, text: await promptText(text), flags })),
      ),
    );
  examples(prompt, [
    ['troupe prompt review-1 "Fix the failing test"', 'streams the answer; Ctrl-C leaves, the prompt goes on'],
    ['git diff | troupe prompt review-1 -', 'the prompt from standard input'],
    ['troupe prompt review-1 "Then the docs" --no-wait', 'into the queue'],
  ]);
  const steer = serverCommand(program, 'steer', 'Sends a prompt into the turn that runs.')
    .argument(...SESSION)
    .argument(...PROMPT)
    .option('--wait', 'stream the answer, too')
    .action((session: string, text: string | undefined, flags: Flags & PromptFlags) =>
      finish(
        about(session, flags, async (client) =>
          sendPrompt(client, {
            session,
            text: await promptText(text),
            flags: { ...flags, onBusy: 'steer', wait: flags.wait === true },
          }),
        ),
      ),
    );
  examples(steer, [['troupe steer review-1 "Only the parser, please"', 'without an end of the turn']]);
}

function addAnswering(program: Command, finish: Finish): void {
  const inbox = serverCommand(program, 'inbox', 'Shows the open questions of all sessions, oldest first.').action(
    (flags: Flags) => finish(asking(flags, (client) => showInbox(client, flags))),
  );
  examples(inbox, [['troupe inbox', 'with everything each of them would do']]);
  const question = ['<question>', 'its id as inbox shows it, or its session where that has one open'] as const;
  const approving = serverCommand(program, 'approve', 'Allows what a question asks.')
    .argument(...question)
    .addOption(new Option('--session', 'the like of it, too, as long as this session lives').conflicts('always'))
    .option('--always', 'the like of it, too, from now on')
    .option('--input <json>', 'with this input instead; the values of a form, the result of a dialog', inputOf)
    .action((id: string, flags: Flags & AllowFlags) => finish(asking(flags, (client) => approve(client, id, flags))));
  examples(approving, [
    ['troupe approve review-1', 'the one question of that session'],
    [`troupe approve review-1 --input '{"command":"ls"}'`, 'something else is run instead'],
  ]);
  const denying = serverCommand(program, 'deny', 'Refuses what a question asks.')
    .argument(...question)
    .option('-m, --message <text>', 'what the model is told')
    .option('--interrupt', 'end the turn, too')
    .action((id: string, flags: Flags & DenyFlags) => finish(asking(flags, (client) => deny(client, id, flags))));
  examples(denying, [['troupe deny review-1 -m "Not on a Friday"', 'with a reason for the model']]);
}

function addEnding(program: Command, finish: Finish): void {
  const interrupting = serverCommand(program, 'interrupt', 'Stops the turn that runs; the session goes on.')
    .argument(...SESSION)
    .option('--cancel-queued', 'take the prompts back that wait, too')
    .action((id: string, flags: Flags & { cancelQueued?: true }) =>
      finish(about(id, flags, (client) => interrupt(client, id, flags))),
    );
  examples(interrupting, [['troupe interrupt review-1 --cancel-queued', 'nothing runs, nothing waits']]);
  const stopping = serverCommand(program, 'stop', 'Ends a session and its process tree.')
    .argument(...SESSION)
    .option('--kill', 'by force')
    .action((id: string, flags: Flags & { kill?: true }) =>
      finish(about(id, flags, (client) => stop(client, id, flags))),
    );
  examples(stopping, [['troupe stop review-1', 'in order; --kill where it does not heed']]);
  const draining = serverCommand(program, 'drain', 'Has a server take nothing new, end its turns, and stop.')
    .option('--timeout <seconds>', 'how long turns may go on', seconds)
    .option('--no-wait', 'do not wait until it is gone')
    .action((flags: Flags & { timeout?: number; wait?: boolean }) =>
      finish(asking(flags, (client) => drain(client, flags))),
    );
  examples(draining, [['troupe drain --timeout 60', 'turns may go on for a minute']]);
}

function serverCommand(program: Command, name: string, description: string): Command {
  const command = linkOptions(program.command(name).description(description));
  return exitCodes(command.option('--json', 'lines of JSON, as docs/terminal.md describes them'));
}

async function asking(flags: LinkFlags, work: (client: TroupeClient) => Promise<ExitCode>): Promise<ExitCode> {
  return work(await serverLink(flags));
}

/** The same about one session. */
async function about(
  id: string,
  flags: LinkFlags,
  work: (client: TroupeClient) => Promise<ExitCode>,
): Promise<ExitCode> {
  const client = await serverLink(flags);
  return withSession(client, id, () => work(client));
}
