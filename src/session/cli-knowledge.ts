import type { Fact } from '../wire/facts.ts';
import { hasFeature } from '../wire/features.ts';
import { type ActivityState, type ConversationFacts, NOTHING_KNOWN } from './conversation-facts.ts';
import type { KnownFacts } from './stored-facts.ts';

/** Each `/clear` begins another one. */
const IDS_KEPT = 100;

/** What the CLI said about itself and its conversations, over the processes of a session. */
export class CliKnowledge {
  #facts: ConversationFacts = NOTHING_KNOWN;
  #hasLifecycle = false;
  #conversationIds: readonly string[] = [];

  get facts(): ConversationFacts {
    return this.#facts;
  }

  /** As a store keeps it. */
  get known(): KnownFacts {
    return { facts: this.#facts, hasLifecycle: this.#hasLifecycle };
  }

  /** The present process tells how each prompt fares, and knows it by its id across a resume. */
  get hasLifecycle(): boolean {
    return this.#hasLifecycle;
  }

  /** Every conversation that it had, the newest last. */
  get conversationIds(): readonly string[] {
    return this.#conversationIds;
  }

  restore({ facts, hasLifecycle }: KnownFacts, conversationIds: readonly string[]): void {
    this.#facts = facts;
    this.#hasLifecycle = hasLifecycle;
    this.#conversationIds = conversationIds;
  }

  learn(facts: Partial<ConversationFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    const { conversationId } = facts;
    if (conversationId !== undefined && this.#conversationIds.at(-1) !== conversationId) {
      this.#conversationIds = [...this.#conversationIds.slice(1 - IDS_KEPT), conversationId];
    }
    const { cliVersion, capabilities } = this.#facts;
    if (hasFeature(cliVersion, capabilities, 'promptLifecycle')) this.#hasLifecycle = true;
  }

  /** A turn opened. Returns the change of the conversation, where it is one. */
  opened(fact: Extract<Fact, { type: 'turn.opened' }>): { from: string | undefined; to: string } | undefined {
    const from = this.#facts.conversationId;
    const { conversationId, cliVersion, model, permissionMode, capabilities, tools, mcpServers } = fact;
    this.learn({
      ...(conversationId === undefined ? {} : { conversationId }),
      ...(cliVersion === undefined ? {} : { cliVersion }),
      ...(model === undefined ? {} : { model }),
      ...(permissionMode === undefined ? {} : { permissionMode }),
      ...(capabilities.length === 0 ? {} : { capabilities }),
      tools,
      mcpServers: mcpServers.map(({ name }) => name),
    });
    return conversationId === undefined || conversationId === from ? undefined : { from, to: conversationId };
  }

  sawLifecycle(): void {
    this.#hasLifecycle = true;
  }

  setActivity(activity: ActivityState | undefined): void {
    this.#facts = { ...this.#facts, activity };
  }

  setMode(permissionMode: string): void {
    this.#facts = { ...this.#facts, permissionMode };
  }

  /** The conversation is lost: the next process begins a new one. */
  forgetId(): void {
    this.#facts = { ...this.#facts, conversationId: undefined };
  }

  /** Nothing a new process says is known yet. */
  startProcess(): void {
    this.#hasLifecycle = false;
    this.setActivity(undefined);
  }
}
