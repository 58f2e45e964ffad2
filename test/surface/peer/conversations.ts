import type { Shown } from '../row.ts';
import type { PeerArea } from './behaviour.ts';

const both = (title: string): Shown => ['test/slow/conversations/official.test.ts', title];
const store = (title: string): Shown => ['test/slow/real-cli/session-store.test.ts', title];
const mirror = (title: string): Shown => ['test/conversations/transcript-mirror.test.ts', title];
const UNSHOWN = (what: string) => ({ missing: `The code is here, and no test of its own shows it yet: ${what}.` });

export const CONVERSATIONS: PeerArea = {
  area: 'conversations on disk and in stores',
  least: 28,
  rows: {
    'lists: order, titles, branches, folders as the official SDK has them': both(
      'text, thinking, parallel tools, a subagent',
    ),
    'lists: working trees of a repository': both('conversations of all working trees of a repository, or of one'),
    'lists: odd files are passed over': UNSHOWN('foreign files, empty files and sidechains in a project folder'),
    'lists: limit and offset': UNSHOWN('paging of a list of conversations'),
    'the first prompt is a prompt of the user': both('a prompt that was put into a running turn, a denied tool'),
    'messages: the main chain, the latest leaf': both('an interrupted turn, a compaction, what follows it'),
    'messages: a summary after a compaction is kept': both('an interrupted turn, a compaction, what follows it'),
    'messages: corrupt lines and cycles': UNSHOWN('corrupt lines and cycles in a transcript'),
    'subagents are listed and read': both('text, thinking, parallel tools, a subagent'),
    'titles and tags are appended, the last one counts': both('titles, tags, archives'),
    'a deletion takes transcript and subagents': both('a deletion: transcript and subagents are gone'),
    'a fork has new ids throughout, a title, and can be gone on with': both('a fork: the same messages under new ids'),
    'a fork may end at a message': both('a fork up to a message: before, at and behind a compaction'),
    'ids that are none are refused before a path is built': UNSHOWN('ids that would lead out of the folder'),
    'a key of the folder for odd and long paths': both('working directories with spaces, letters beyond ASCII'),
    'a store gives the same as the disk': store('reads the same from the store as from the disk'),
    'a store for a long working directory': store('finds what it stored for a working directory of more than 200'),
    'stores of others can be checked': ['test/testing/session-store-conformance.test.ts', 'the store in memory'],
    'mirrored lines: transcripts and subagents have keys': store(
      'has its transcript lines in it, subagents too, as on disk',
    ),
    'mirrored lines reach no consumer': store('shows nobody the frames the lines come in'),
    'mirrored lines are there before the result is': mirror('holds a result back for 60 s at most'),
    'mirrored lines are merged, in order': mirror('wait 100 ms for more, and then go as one append per transcript'),
    'mirrored lines go early when they are many or long': mirror('wait for nothing more once they are %s'),
    'mirrored lines go frame by frame when asked to': mirror(
      'go at once, each frame by itself, when the flush is eager',
    ),
    'appends never overlap': mirror('go one append at a time: the next begins when the former has ended'),
    'a failing append is tried again, told once, and stops nothing': mirror(
      'is asked three times, after 200 and 800 ms',
    ),
    'an append that hangs is not tried again beside itself': mirror('is given up after 60 s and not asked again'),
    'the end of a session waits for the lines': mirror('holds the end of a session back for 60 s at most'),
    'resume out of a store: a private folder that goes away': store('goes on where nothing of it is on disk'),
    'resume out of a store: the settings of the user come along': store('takes the settings of the user along (0600)'),
    'resume out of a store: continue takes the newest': store('is the newest one with continue'),
    'resume out of a store: unknown is not found': store('that the store does not have is not found'),
    'resume out of a store: a load that fails or hangs is an error': store('to hand out, is an error of the start'),
    'resume out of a store: login without its refresh token': UNSHOWN(
      'what of a login is copied into the private folder',
    ),
  },
};
