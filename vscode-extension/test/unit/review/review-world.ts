import { AgentChanges } from "../../../src/features/review/turns/agent-changes.js";
import { Checkpoints } from "../../../src/features/review/restore/checkpoints.js";
import type { FileText } from "../../../src/features/review/hunks/file-review.js";
import { splitLines } from "../../../src/features/review/hunks/hunks.js";
import { ReviewAnswers } from "../../../src/features/review/review-answers.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import type { FileTruth, TrueFiles } from "../../../src/features/review/files/compare-and-write-contract.js";

export const tab = "tab";
export const paths = ["/project/cart.ts", "/project/tax.ts"] as const;
type Path = (typeof paths)[number];
/** As git has them. */
export const committed: ReadonlyMap<Path, FileText> = new Map<Path, FileText>([
  ["/project/cart.ts", Array.from({ length: 8 }, (_, line) => `committed ${line}\r\n`).join("")],
  ["/project/tax.ts", null],
]);

/** Edit whose place `from` is a fraction of the number of lines. */
interface Edit {
  readonly from: number;
  readonly removed: number;
  readonly added: number;
}

interface OpenDocument {
  text: string;
  /** Text when the document last matched the disk. */
  saved: FileText;
}

/** A disk, an editor with unsaved documents over it, and everybody who writes: with the review's own engine. */
export class World implements TrueFiles {
  readonly disk = new Map<Path, FileText>(committed);
  readonly unsaved = new Map<Path, OpenDocument>();
  readonly checkpoints = new Checkpoints();
  book = new ReviewBook();
  answers: ReviewAnswers;
  changes: AgentChanges;
  /** The user's program, in the moment between a look at a file and the writing of it. */
  intruder: (() => void) | undefined;
  /** Lines that the agent took away and the user agreed, or that only a restore brought back, which can be undone. */
  readonly givenUp = new Set<string>();
  #words = 0;
  #calls = 0;

  constructor() {
    this.answers = this.#newAnswers();
    this.changes = this.#newChanges();
    this.checkpoints.promptStarted(tab, "prompt 0");
  }

  /** The window is closed and opened again; what was not saved is thrown away. */
  async restart(): Promise<void> {
    await this.changes.turnEnded(tab);
    const stored = this.book.store();
    this.unsaved.clear();
    this.book = new ReviewBook();
    for (const review of stored) this.book.restore(review, this.diskText(review.path));
    this.answers = this.#newAnswers();
    this.changes = this.#newChanges();
  }

  diskText(path: string): FileText {
    return this.disk.get(path as Path) ?? null;
  }

  truth(path: string): Promise<FileTruth> {
    const document = this.unsaved.get(path as Path);
    if (!document) return Promise.resolve({ text: this.diskText(path), isTorn: false });
    const onDisk = this.diskText(path);
    return Promise.resolve({ text: document.text, isTorn: onDisk !== document.saved && onDisk !== document.text });
  }

  canWrite(): Promise<boolean> {
    return Promise.resolve(true);
  }

  setAttributes(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async write(path: string, text: FileText, expected: FileText): Promise<boolean> {
    this.intruder?.();
    this.intruder = undefined;
    const truth = await this.truth(path);
    if (truth.isTorn || truth.text !== expected) return false;
    const document = this.unsaved.get(path as Path);
    if (document && text !== null) {
      document.text = text;
      return true;
    }
    this.unsaved.delete(path as Path);
    this.disk.set(path as Path, text);
    return true;
  }

  edited(text: FileText, who: "agent" | "user", { from, removed, added }: Edit): string {
    const lines = splitLines(text ?? "");
    const at = Math.round(from * lines.length);
    const words = Array.from({ length: added }, () => `${who} ${this.#words++}\r\n`);
    lines.splice(at, removed, ...words);
    return lines.join("");
  }

  async agentWrites(path: Path, text: FileText, isThroughEditor: boolean): Promise<void> {
    const call = { id: String(++this.#calls), kind: "edit", paths: [path], edits: [] };
    this.changes.toolCall(tab, { ...call, status: "pending" });
    await this.changes.settled();
    await new Promise(setImmediate);
    const document = isThroughEditor ? this.unsaved.get(path) : undefined;
    // The editor does not save over what others wrote.
    if (document && document.saved !== this.diskText(path)) {
      this.changes.toolCall(tab, { ...call, status: "failed" });
      return;
    }
    if (document && text !== null) {
      this.unsaved.delete(path);
      this.disk.set(path, text);
      this.changes.fileSaved(path, text);
      this.changes.written(tab, path, document.text, text, document.text !== document.saved);
    } else this.disk.set(path, text);
    this.changes.toolCall(tab, { ...call, status: "completed" });
    await this.changes.settled();
  }

  userTypes(path: Path, edit: Edit): void {
    const document = this.unsaved.get(path) ?? { text: this.diskText(path) ?? "", saved: this.diskText(path) };
    document.text = this.edited(document.text, "user", edit);
    this.unsaved.set(path, document);
    this.book.userChanged(path, document.text);
  }

  /** The editor asks before it writes over what others wrote; then the user says no. */
  userSaves(path: Path): void {
    const document = this.unsaved.get(path);
    if (!document || document.saved !== this.diskText(path)) return;
    this.disk.set(path, document.text);
    this.unsaved.delete(path);
    this.changes.fileSaved(path, document.text);
  }

  /** All lines that are not the agent's: what is not saved counts before the disk, and both where neither is newer. */
  async wordsOfOthers(): Promise<string[]> {
    const words = new Set<string>();
    for (const path of paths) {
      const { text, isTorn } = await this.truth(path);
      const all = isTorn ? `${text ?? ""}\n${this.diskText(path) ?? ""}` : (text ?? "");
      for (const line of splitLines(all)) if (!line.startsWith("agent")) words.add(`${path}: ${line}`);
    }
    return [...words];
  }

  async keep(path: Path, hunkId?: string): Promise<void> {
    await this.answers.learn(path);
    const hunks = this.book.find(path)?.review.hunks ?? [];
    const kept = hunks.filter(({ id }) => hunkId === undefined || id === hunkId);
    await this.answers.keep(path, hunkId);
    for (const line of kept.flatMap(({ removed }) => removed)) this.givenUp.add(`${path}: ${line}`);
  }

  #newAnswers(): ReviewAnswers {
    const { book } = this;
    return new ReviewAnswers(book, this, (path, { text }) => book.userChanged(path, text));
  }

  #newChanges(): AgentChanges {
    const { book } = this;
    const files = { read: (path: string) => Promise.resolve(this.diskText(path)) };
    return new AgentChanges(files, {
      current: (path) => book.current(path),
      knows: (path, text) => book.knows(path, text),
      unknownChanged: (path, text) => book.unknownChanged(path, text),
      agentChanged: (tabId, path, before, after) => {
        this.checkpoints.changed(tabId, path, before, after);
        book.agentChanged(tabId, path, before, after);
      },
    });
  }
}
