import { applyChange, type Change, type Transcript } from "../../../protocol/index.js";
import type { FoldTarget } from "../../acp/fold/fold-target.js";
import { ChangeBuffer } from "./change-buffer.js";

/** Hears of changes in batches; `index` is that of the last of them. */
type ChangesListener = (changes: readonly Change[], index: number) => void;

/** At most so often a tab's changes leave: about once a frame. */
const batchMs = 16;

/** A tab's transcript: changes take effect at once, and are told to the view and the store in merged batches. */
export class TabTranscript implements FoldTarget {
  readonly #buffer = new ChangeBuffer();
  readonly #listeners = new Set<ChangesListener>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #index: number;

  constructor(
    readonly transcript: Transcript,
    index = 0,
  ) {
    this.#index = index;
  }

  /** Index of the last change that was told. `flush` first where the transcript itself is read with it. */
  get index(): number {
    return this.#index;
  }

  publish(change: Change): void {
    applyChange(this.transcript, change);
    this.#buffer.add(change);
    this.#timer ??= setTimeout(() => this.flush(), batchMs);
  }

  onChanges(listener: ChangesListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Tells what has been published so far. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changes = this.#buffer.take();
    if (changes.length === 0) return;
    this.#index += changes.length;
    for (const listener of [...this.#listeners]) listener(changes, this.#index);
  }
}
