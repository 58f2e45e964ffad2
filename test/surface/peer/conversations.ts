import type { Shown } from '../row.ts';
import type { PeerArea } from './behaviour.ts';

const both = (title: string): Shown => ['test/slow/conversations/official.test.ts', title];
const odd = (title: string): Shown => ['test/slow/conversations/odd-files.test.ts', title];
const shared = (title: string): Shown => ['test/slow/conversations/shared-store.test.ts', title];
const store = (title: string): Shown => ['test/slow/real-cli/session-store.test.ts', title];
const pure =
  (file: string) =>
  (title: string): Shown => [`test/conversations/${file}.test.ts`, title];
const mirror = pure('transcript-mirror');
const list = pure('list-sessions');
const info = pure('session-info');
const read = pure('read-messages');
const agents = pure('subagents');
const change = pure('change-session');
const fork = pure('fork-session');
const imports = pure('import-session');
const listing = pure('store-listing');
const folder = pure('resume-folder');
const summary = pure('session-summary');
const suite = (title: string): Shown => ['test/testing/session-store-conformance.test.ts', title];

export const CONVERSATIONS: PeerArea = {
  area: 'conversations on disk and in stores',
  least: 60,
  rows: {
    'lists: order, titles, branches, folders as the official SDK has them': both(
      'text, thinking, parallel tools, a subagent',
    ),
    'lists: newest first': list('returns all projects, newest first'),
    'lists: working trees of a repository': both('conversations of all working trees of a repository, or of one'),
    'lists: foreign files, empty ones, links and sidechains are passed over': list('passes over what is no transcript'),
    'lists and readers: nobody waits for a pipe, or follows a link': odd('are passed over by lists and by readers'),
    'lists: limit and offset': list('pages with limit and offset, and opens no more files than the page needs'),
    'lists: duplicates are merged': list('shows a conversation that lies in two projects once, where it is newer'),
    'lists: branch and title from the tail': list('finds the newest title and branch at the end of a long file'),
    'lists: the working directory falls back': info('are taken from the first dated line and the first that has'),
    'lists: made when its first dated line was written': info('are taken from the first dated line'),
    'titles: the given one before the summary before the first prompt': info('is %s'),
    'the first prompt is no meta row, no tool result, and no command if there is better': info('is not one of the %s'),
    'the first prompt is cut': info('is one line of 200 characters at most, and no character is cut in two'),
    'messages: the main chain, not a sidechain': read('stay on the main branch when a side branch'),
    'messages: the latest leaf by its place': read('follow the branch that was written last'),
    'messages: a summary after a compaction is kept': both('an interrupted turn, a compaction, what follows it'),
    'messages: corrupt lines': read('are passed over, counted and told (P6)'),
    'messages: cycles': read('end where a loop %s begins'),
    'messages: pages': read('come in pages'),
    'subagents are listed and read': both('text, thinking, parallel tools, a subagent'),
    'subagents in nested folders, each once': agents('are found in folders within folders too, each once'),
    'subagents: who started them': agents('know who started them, from what the CLI noted beside them'),
    'subagents: notes that are bad': agents('are read all the same when that note is bad'),
    'subagents: pipes and links are none': odd('among subagents are no subagents'),
    'titles and tags are appended, the last one counts': change('adds one line to the transcript and changes nothing'),
    'titles and tags of ours are those of the official SDK': both('titles, tags, archives'),
    'titles are trimmed and cleaned of what nobody sees': change('in a title: %s are cleaned'),
    'tags are cleaned of what nobody sees': change('in a tag: %s is cleaned'),
    'an empty title is refused': change('%j is no title'),
    'a stub without a byte gets no title': change('goes into no empty stub, no link and no missing file'),
    'a deletion takes transcript and subagents': both('a deletion: transcript and subagents are gone'),
    'a fork has new ids throughout, linked as before, and says where it is from': fork('have new ids that are linked'),
    'a fork has lost what was true of the first one alone': fork('have lost what was true of the first conversation'),
    'a fork has a title and can be gone on with': both('a fork: the same messages under new ids'),
    'a fork may end at a message': both('a fork up to a message: before, at and behind a compaction'),
    'ids that are none are never looked for': list('an id that is no UUID, %j, is never looked for'),
    'ids that are none are refused before a path is built': change('refuses %j before any path is built of it'),
    'ids that are none: of subagents': agents('are not looked for by an id that could lead elsewhere'),
    'a key of the folder for odd and long paths': pure('project-key')(
      'of %s is the one that the official SDK gives it',
    ),
    'a key of the folder, with the real CLI': both('working directories with spaces, letters beyond ASCII'),
    'a key of the folder, however letters are composed': list('are found whichever way the CLI spelled the letters'),
    'a store gives the same as the disk': store('reads the same from the store as from the disk'),
    'a store of the official SDK, and the other way round': shared('lets the official SDK go on with a conversation'),
    'a store for a long working directory': store('finds what it stored for a working directory of more than 200'),
    'a store that cannot list says so': listing('needs a store that can list, and says so'),
    'a store that cannot delete': change('does nothing in a store that cannot delete'),
    'a store is asked for few at a time': listing('loads 16 at a time, not more'),
    'a store: one that cannot be loaded is one poorer row': listing('shows one that cannot be loaded with its id'),
    'a store: summaries give the same as reading it all': listing(
      'says the same by summaries as by loading everything',
    ),
    'a store: summaries grow with the lines': summary('is after every batch what the official SDK makes of it'),
    'stores of others can be checked': suite('are kept by a store that has append and load alone'),
    'stores of others that are wrong are found out': suite('are not all kept by a store that %s'),
    'an import brings lines and subagents': imports('brings all lines in order, its subagents'),
    'an import goes in batches, may be repeated': imports('may be done again: what has a uuid is there once'),
    'an import passes over corrupt lines': imports('tells of corrupt lines, and imports the others'),
    'mirrored lines: transcripts, subagents, nested ones have keys': pure('project-key')(
      'of %s is where it lies below the projects',
    ),
    'mirrored lines: a path outside has no key': pure('project-key')('does not exist for a file that is %s'),
    'mirrored lines are those on disk': store('has its transcript lines in it, subagents too, as on disk'),
    'mirrored lines reach no consumer': store('shows nobody the frames the lines come in'),
    'mirrored lines are there before the result is': store('has its transcript lines in it, subagents too, as on disk'),
    'mirrored lines are merged, in order': mirror('wait 100 ms for more, and then go as one append per transcript'),
    'mirrored lines go early when they are many or long': mirror('wait for nothing more once they are %s'),
    'mirrored lines go frame by frame when asked to': mirror(
      'go at once, each frame by itself, when the flush is eager',
    ),
    'appends never overlap': mirror('go one append at a time: the next begins when the former has ended'),
    'a failing append is tried again, told once': mirror('is asked three times, after 200 and 800 ms'),
    'a failing append stops no turn': store('goes on when the store fails, and says which lines are lost (P6)'),
    'an append that hangs is not tried again beside itself': mirror('is given up after 60 s and not asked again'),
    'a hanging append does not hold a result for ever': mirror('holds a result back for 60 s at most'),
    'the end of a session waits for the lines': mirror('holds the end of a session back for 60 s at most'),
    'resume out of a store: a private folder that goes away': store('goes on where nothing of it is on disk'),
    'resume out of a store: nothing is written for a bad id or where there is nothing': folder(
      'is not made for an id that is no UUID, and not where the store has nothing',
    ),
    'resume out of a store: paths of a store lead nowhere else': folder('takes nothing from a store that would lead'),
    'resume out of a store: a failure half way leaves nothing': folder('leaves nothing behind when the store fails'),
    'resume out of a store: a store that hangs leaves nothing': folder('leaves nothing behind when the store does not'),
    'resume out of a store: the settings of the user come along': store('takes the settings of the user along (0600)'),
    'resume out of a store: the folder goes when there is nothing to start': [
      'test/slow/session/resume-folders.test.ts',
      'is gone when there is nothing to start',
    ],
    'resume out of a store: the folder goes when the process ends early or never answers': [
      'test/slow/session/resume-folders.test.ts',
      'is gone after the start of a process',
    ],
    'resume out of a store: the folder goes when the start is called off': [
      'test/slow/session/resume-folders.test.ts',
      'is gone when the start was called off',
    ],
    'resume out of a store: the folder goes when the loop is left early': [
      'test/slow/session/resume-folders.test.ts',
      'is gone when the loop over a query is left early',
    ],
    'resume out of a store: settings that do not parse, or are not there': folder(
      'are copied as they are when they do not parse, and left out when they are not there or no files',
    ),
    'resume out of a store: settings and login that are pipes block nothing': odd('hold no resume out of a store up'),
    'resume out of a store: login without its refresh token': folder('have no refresh token, no plugins'),
    'resume out of a store: continue takes the newest, no side branch, ties resolved': folder(
      'is no side branch, no empty one and none with a foreign id; ties go to the greater id',
    ),
    'resume out of a store: continue with nothing there begins anew': store('is the newest one with continue'),
    'resume out of a store: unknown is not found': store('that the store does not have is not found'),
    'resume out of a store: a load that fails or hangs is an error': store('to hand out, is an error of the start'),
  },
};
