/** Anything a scope can own. */
export type Owned = AsyncDisposable | Disposable | (() => void | Promise<void>);

/**
 * Owns resources and releases them in reverse order, once. What arrives after the scope has closed is
 * released at once, so a start that loses the race against a stop leaks nothing.
 */
export class Scope implements AsyncDisposable {
  readonly #owned: Owned[] = [];
  #closing: Promise<void> | undefined;

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Takes ownership of `resource` and returns it. */
  add<T extends Owned>(resource: T): T {
    if (this.#closing) {
      this.#closing = Promise.all([this.#closing, release(resource)]).then(() => undefined);
      // Whoever disposes of the scope once more hears of a failure; nobody else waits for it.
      this.#closing.catch(() => undefined);
    } else {
      this.#owned.push(resource);
    }
    return resource;
  }

  /** Releases everything; every resource is tried, and the first failure is thrown at the end. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#releaseAll();
    return this.#closing;
  }

  async #releaseAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let resource = this.#owned.pop(); resource !== undefined; resource = this.#owned.pop()) {
      try {
        await release(resource);
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

async function release(resource: Owned): Promise<void> {
  if (typeof resource === "function") await resource();
  else if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]();
  else resource[Symbol.dispose]();
}
