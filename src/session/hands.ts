/** What tells one root actor from another: each has a system of its own, and its ports are told which. */
interface Rooted {
  readonly system: object;
}

/**
 * Whose hands a machine moves. One machine with its ports serves all sessions, for one with ports of its own is built state by
 * state, and costs more memory than everything else of an idle session together: so the ports find their owner by the system.
 */
export class Hands<Owner> {
  readonly #owners = new WeakMap<object, Owner>();

  /** From now on the ports of this actor belong to the owner. Before it is started. */
  give(actor: Rooted, owner: Owner): void {
    this.#owners.set(actor.system, owner);
  }

  of({ system }: Rooted): Owner {
    const owner = this.#owners.get(system);
    if (owner === undefined) throw new Error('A machine was started without its hands.');
    return owner;
  }
}
