import { isInside } from "@symposium-dev/core/node";
import type { FileText } from "../hunks/file-review.js";

/** User's version of a file, or null if the user deleted the file. `atMs` is the time of the change. */
interface OwnText {
  readonly path: string;
  readonly text: FileText;
  readonly atMs: number;
}

/** The user's own file changes since the last scan, which need no review. */
export class OwnTexts {
  readonly #places = new Map<string, number>();
  readonly #saved = new Map<string, Omit<OwnText, "path">>();

  /** `changed` is called when there is new state to store. */
  constructor(private readonly changed: () => void) {}

  /** Returns the user's latest text of a file; undefined if the user didn't change the file. */
  textOf(path: string): FileText | undefined {
    return this.#saved.get(path)?.text;
  }

  saved(path: string, text: FileText, atMs = Date.now()): void {
    this.#saved.set(path, { text, atMs });
    this.changed();
  }

  placed(path: string, atMs = Date.now()): void {
    this.#places.set(path, atMs);
  }

  /** Returns whether the user created, moved or deleted the file or a folder that contains it. */
  hasPlace(path: string): boolean {
    return [...this.#places.keys()].some((place) => isInside(path, place));
  }

  /** Drops changes made before a scan at `timeMs`, because the scan's snapshot includes them. */
  forgetBefore(timeMs: number): void {
    for (const [path, atMs] of [...this.#places]) if (atMs < timeMs) this.#places.delete(path);
    for (const [path, { atMs }] of [...this.#saved]) if (atMs < timeMs) this.#saved.delete(path);
  }

  clear(): void {
    this.#places.clear();
    this.#saved.clear();
  }

  /** Loads stored entries. An entry that the user has saved since takes precedence. */
  load(stored: readonly OwnText[]): void {
    for (const { path, text, atMs } of stored)
      if (atMs >= (this.#saved.get(path)?.atMs ?? 0)) this.#saved.set(path, { text, atMs });
  }

  store(): OwnText[] {
    return [...this.#saved].map(([path, saved]) => ({ path, ...saved }));
  }
}
