import type { Slices } from "../work/slices.js";
import { cleanFragment } from "./clean-fragment.js";
import { appendCode, finishBlocks } from "./finish-blocks.js";
import { MarkdownCutter } from "./markdown-cutter.js";
import { codeBlockHtml, markdownToHtml } from "./markdown-html.js";
import { reconcile } from "./reconcile.js";

/** Pieces are parsed together up to this many characters: one parse costs more than its text. */
const batchChars = 3_000;
/** A line longer than this is no prose; it is shown as it is. */
const longestLine = 20_000;
/** An unfinished code block is coloured while it is written, up to this many characters. */
const liveColourChars = 4_000;
/** Of the time, the part that parsing the unfinished end again may take is one in this many. */
const tailShare = 4;

/**
 * Markdown in an element, while it grows. What is finished is parsed once and its nodes never change; only the last
 * block is parsed again. Long texts come in slices.
 */
export class MarkdownView {
  #cutter = new MarkdownCutter();
  #pieces: string[] = [];
  /** The last node that is finished. */
  #last: Node | null = null;
  #isTailStale = false;
  #tailNotBefore = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A long code block at the end, and how much of the tail it shows. */
  #code: { readonly element: Element; shown: number } | undefined;

  constructor(
    private readonly root: HTMLElement,
    private readonly slices: Slices,
    private readonly onDone: () => void,
  ) {}

  /** False while some of the text is not shown yet. */
  get isDone(): boolean {
    return this.#pieces.length === 0 && !this.#isTailStale;
  }

  show(text: string): void {
    let pieces = this.#cutter.extend(text);
    if (pieces === undefined) {
      this.#cutter = new MarkdownCutter();
      this.#pieces = [];
      this.#last = null;
      this.#code = undefined;
      pieces = this.#cutter.extend(text) ?? [];
    }
    // One by one: a text can have more pieces than a call can have arguments.
    for (const piece of pieces) this.#pieces.push(piece);
    this.#isTailStale = true;
    this.#work();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.slices.remove(this);
  }

  /** Goes on with what {@link stop} left. */
  resume(): void {
    if (!this.isDone) this.#work();
  }

  #work(): void {
    clearTimeout(this.#timer);
    this.slices.add(this, () => this.#step());
  }

  #step(): boolean {
    if (this.#pieces.length > 0) {
      this.#finishPieces();
      return true;
    }
    const wait = this.#tailNotBefore - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#work(), wait);
      return false;
    }
    const start = performance.now();
    this.#showTail();
    const end = performance.now();
    this.#tailNotBefore = end + (end - start) * (tailShare - 1);
    this.#isTailStale = false;
    this.onDone();
    return false;
  }

  #finishPieces(): void {
    let count = 0;
    let text = "";
    for (const piece of this.#pieces) {
      if (count > 0 && text.length + piece.length > batchChars) break;
      text += piece;
      count += 1;
    }
    this.#pieces.splice(0, count);
    this.#code = undefined;
    reconcile(this.root, this.#last, fragmentOf(text));
    this.#last = this.root.lastChild;
  }

  #showTail(): void {
    const { tail, openFence } = this.#cutter;
    if (openFence === undefined) {
      this.#code = undefined;
      reconcile(this.root, this.#last, fragmentOf(tail));
      return;
    }
    const code = tail.slice(tail.indexOf("\n") + 1);
    if (this.#code !== undefined) {
      appendCode(this.#code.element, code.slice(this.#code.shown));
      this.#code.shown = code.length;
      return;
    }
    const isLong = code.length > liveColourChars;
    const html = codeBlockHtml(openFence.language, isLong ? "" : code);
    const fragment = finishBlocks(cleanFragment(html));
    const element = fragment.querySelector("code");
    if (!isLong || element === null) {
      reconcile(this.root, this.#last, fragment);
      return;
    }
    appendCode(element, code);
    reconcile(this.root, this.#last, fragment);
    const shown = this.root.lastElementChild?.querySelector("code");
    this.#code = shown ? { element: shown, shown: code.length } : undefined;
  }
}

function fragmentOf(text: string): DocumentFragment {
  return finishBlocks(cleanFragment(hasLongLine(text) ? codeBlockHtml("", text) : markdownToHtml(text)));
}

function hasLongLine(text: string): boolean {
  if (text.length <= longestLine) return false;
  for (let start = 0; start !== -1;) {
    const end = text.indexOf("\n", start);
    if ((end === -1 ? text.length : end) - start > longestLine) return true;
    start = end === -1 ? -1 : end + 1;
  }
  return false;
}
