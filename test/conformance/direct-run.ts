import type { RawClient } from "../support/raw-client.js";
import { observe } from "./observe.js";
import type { Requirement } from "./requirement.js";
import { directTarget, startTarget } from "./target.js";

/** Checks requirements of the agent without a conductor. Checks each once, when it is first asked for. */
export class DirectRun implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly #observed = new Map<string, Promise<readonly string[] | undefined>>();
  #client: Promise<RawClient> | undefined;

  async observe(requirement: Requirement): Promise<readonly string[] | undefined> {
    this.#client ??= startTarget(directTarget, this.#stack);
    const client = await this.#client;
    const observed = this.#observed.get(requirement.id) ?? observe(requirement, client);
    this.#observed.set(requirement.id, observed);
    return observed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
