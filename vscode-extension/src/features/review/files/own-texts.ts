import { isInside } from "@symposium-dev/core/node";
import type { FileText } from "../hunks/file-review.js";

/** A text that the user gave a file, or null for one that the user removed. `atMs` is when. */
interface OwnText {
  readonly path: string;
  readonly text: FileText;
  readonly atMs: number;
}

/** What the user did to files since they were last looked at: that is nobody's to review. */
export class OwnTexts {
  /** Files and folders that the user made, moved or removed, and when. */
  readonly #places = new Map<string, number>();
  readonly #saved = new Map<string, Omit<OwnText, "path">>();

  /** `changed` hears when there is something else to store. */
  constructor(private readonly changed: () => void) {}

  /** The latest text of the user's; undefined where there is none. */
  textOf(path: string): FileText | undefined {
    return this.#saved.get(path)?.text;
  }

  saved(path: string, text: FileText, atMs = Date.now()): void {
    this.#saved.set(path, { text, atMs });
    this.changed();
  }

  /** The user made, moved or removed a file, or a folder with all that is in it. */
  placed(path: string, atMs = Date.now()): void {
    this.#places.set(path, atMs);
  }

  /** Whether that there is such a file, or none any more, is the user's doing. */
  hasPlace(path: string): boolean {
    return [...this.#places.keys()].some((place) => isInside(path, place));
  }

  /** What was there when the files were looked at is known by that. */
  forgetBefore(timeMs: number): void {
    for (const [path, atMs] of [...this.#places]) if (atMs < timeMs) this.#places.delete(path);
    for (const [path, { atMs }] of [...this.#saved]) if (atMs < timeMs) this.#saved.delete(path);
  }

  clear(): void {
    this.#places.clear();
    this.#saved.clear();
  }

  /** What the user has saved since is newer than what was stored. */
  load(stored: readonly OwnText[]): void {
    for (const { path, text, atMs } of stored)
      if (atMs >= (this.#saved.get(path)?.atMs ?? 0)) this.#saved.set(path, { text, atMs });
  }

  store(): OwnText[] {
    return [...this.#saved].map(([path, saved]) => ({ path, ...saved }));
  }
}
