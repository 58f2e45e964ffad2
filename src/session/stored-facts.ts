import type { Json } from '../store/store-record.ts';
import { isRecord, stringsOf } from '../wire/fields.ts';
import type { ConversationFacts } from './conversation-facts.ts';
import { asJson, textIn } from './stored-json.ts';

/** What a conversation knows of its CLI; `hasLifecycle`: it knows a prompt by its id, also after a resume. */
export interface KnownFacts {
  readonly facts: ConversationFacts;
  readonly hasLifecycle: boolean;
}

export function storedFactsOf({ facts, hasLifecycle }: KnownFacts): Json {
  // What the process was doing is over with it.
  const { activity: _activity, ...kept } = facts;
  return asJson({ ...kept, hasLifecycle });
}

export function factsOfStored(stored: unknown): KnownFacts {
  const wordsIn = (name: string) => (isRecord(stored) ? stringsOf(stored[name]) : []);
  return {
    facts: {
      conversationId: textIn(stored, 'conversationId'),
      cliVersion: textIn(stored, 'cliVersion'),
      model: textIn(stored, 'model'),
      permissionMode: textIn(stored, 'permissionMode'),
      capabilities: wordsIn('capabilities'),
      tools: wordsIn('tools'),
      mcpServers: wordsIn('mcpServers'),
      activity: undefined,
    },
    hasLifecycle: isRecord(stored) && stored['hasLifecycle'] === true,
  };
}
