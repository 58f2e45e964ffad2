import type { RequestFacts } from './model-request.ts';
import { answerPrompt } from './prompt-language.ts';
import type { CutBy, ErrorReply, ErrorTimesReply, HangReply, MessageReply, Reply } from './reply.ts';
import { DEFAULT_SLOW_DELAY_MS, type ModelRule, type ModelScript, type RequestPattern } from './script.ts';

/** One reply with nothing left to decide. */
export interface ReplyPlan {
  /** Silence before the first byte. */
  readonly delayMs: number;
  /** Where and how a stream ends too early. */
  readonly cut?: { readonly afterEvents: number; readonly by: CutBy };
  readonly answer: MessageReply | ErrorReply | HangReply;
}

/** Makes the function that decides each reply; the counts of `times` and `errorTimes` live in it. */
export function replyChoice(script: ModelScript): (request: RequestFacts, ordinal: number) => ReplyPlan {
  const used = new Map<ModelRule | ErrorTimesReply, number>();
  /** Takes one of `limit` uses; false when they are used up. */
  const take = (key: ModelRule | ErrorTimesReply, limit: number): boolean => {
    const count = used.get(key) ?? 0;
    if (count >= limit) return false;
    used.set(key, count + 1);
    return true;
  };
  const choose = (request: RequestFacts, ordinal: number): Reply => {
    const rule = script.rules?.find(
      (candidate) => matches(candidate.when, request, ordinal) && take(candidate, candidate.times ?? Infinity),
    );
    return rule?.reply ?? script.otherwise ?? answerPrompt(request, script.slowDelayMs ?? DEFAULT_SLOW_DELAY_MS);
  };
  return (request, ordinal) => {
    let reply = choose(request, ordinal);
    let delayMs = 0;
    let cut: ReplyPlan['cut'];
    for (;;) {
      if (reply.kind === 'delayed') delayMs += reply.delayMs;
      if (reply.kind === 'cut' && reply.afterEvents < (cut?.afterEvents ?? Infinity)) {
        cut = { afterEvents: reply.afterEvents, by: reply.by };
      }
      if (reply.kind === 'delayed' || reply.kind === 'cut') reply = reply.reply;
      else if (reply.kind === 'error-times') reply = take(reply, reply.times) ? reply.failure : reply.then;
      else return { delayMs, ...(cut === undefined ? {} : { cut }), answer: reply };
    }
  };
}

/** True when every condition of the pattern holds for the `ordinal`-th request. */
export function matches(pattern: RequestPattern, request: RequestFacts, ordinal: number): boolean {
  const isToolResult = request.toolResults.length > 0;
  return (
    (pattern.isToolResult === undefined || pattern.isToolResult === isToolResult) &&
    (pattern.nth === undefined || pattern.nth === ordinal) &&
    (pattern.model === undefined || pattern.model === request.model) &&
    (pattern.systemContains === undefined || request.system.includes(pattern.systemContains)) &&
    (pattern.toolResultContains === undefined ||
      (isToolResult && JSON.stringify(request.toolResults).includes(pattern.toolResultContains))) &&
    matchesPrompt(pattern, request)
  );
}

function matchesPrompt(pattern: RequestPattern, request: RequestFacts): boolean {
  const { promptEquals, promptContains, promptMatches } = pattern;
  if (promptEquals === undefined && promptContains === undefined && promptMatches === undefined) return true;
  // A rule about a prompt must not answer its own tool results again and again, unless it asks for them.
  const isAboutResults = pattern.isToolResult === true || pattern.toolResultContains !== undefined;
  const prompt = isAboutResults ? request.turnPrompt : request.prompt;
  if (prompt === undefined) return false;
  return (
    (promptEquals === undefined || prompt.trim() === promptEquals.trim()) &&
    (promptContains === undefined || prompt.includes(promptContains)) &&
    // `search` leaves the `lastIndex` of a global expression alone, so every request is judged alike.
    (promptMatches === undefined || prompt.search(promptMatches) >= 0)
  );
}
