export type Owned = AsyncDisposable | Disposable | (() => void | Promise<void>);

/**
 * Owns resources and releases them once, in reverse order. Resources added after closing are released immediately, so that a start that
 * loses a race against a stop leaks nothing.
 */
export class Scope implements AsyncDisposable {
  readonly #owned: Owned[] = [];
  #closing: Promise<void> | undefined;

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  add<T extends Owned>(resource: T): T {
    if (this.#closing) {
      this.#closing = Promise.all([this.#closing, release(resource)]).then(() => undefined);
      // Callers that dispose the scope again get the failure; this promise has no other consumer.
      this.#closing.catch(() => undefined);
    } else {
      this.#owned.push(resource);
    }
    return resource;
  }

  /** Releases all resources, even if some fail; then throws the first failure. */
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
