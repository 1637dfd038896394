import DOMPurify, { type Config } from "dompurify";
import type { Slices } from "../slices.js";
import { appendCode, decorateBlocks } from "./decorate-blocks.js";
import { MarkdownCutter } from "./markdown-cutter.js";
import { codeBlockHtml, markdownToHtml } from "./markdown-html.js";
import { MarkdownParts } from "./markdown-parts.js";

/** Growing Markdown: `<symposium-markdown .slices .text>`. Dispatches `symposium-shown` once all text is shown. */
class SymposiumMarkdown extends HTMLElement {
  #slices: Slices | undefined;
  #view: MarkdownView | undefined;
  #text = "";

  set slices(slices: Slices) {
    if (slices === this.#slices) return;
    this.#slices = slices;
    this.#view?.stop();
    this.#view = new MarkdownView(this, slices, () => this.dispatchEvent(new CustomEvent("symposium-shown")));
    this.#show();
  }

  set text(text: string) {
    if (text === this.#text) return;
    this.#text = text;
    this.#show();
  }

  get text(): string {
    return this.#text;
  }

  /** Whether all text is shown. False while text waits for later slices. */
  get isDone(): boolean {
    return this.#view?.isDone ?? true;
  }

  connectedCallback(): void {
    this.classList.add("markdown");
    this.#view?.resume();
  }

  disconnectedCallback(): void {
    this.#view?.stop();
  }

  #show(): void {
    if (this.#text !== "") this.#view?.show(this.#text);
  }
}

customElements.define("symposium-markdown", SymposiumMarkdown);

declare global {
  interface HTMLElementTagNameMap {
    "symposium-markdown": SymposiumMarkdown;
  }
}

/** Length above which a line isn't prose and is shown as plain text. */
const longestLine = 20_000;
/** Maximum characters of an unfinished code block that is highlighted while it grows. */
const liveColourChars = 4_000;
/** Maximum fraction of time, as 1/N, for re-parsing the unfinished end. */
const tailShare = 4;

/**
 * Shows growing Markdown. Finished blocks are parsed once and their nodes never change; only the last block is parsed again. Long texts are
 * shown in slices.
 */
class MarkdownView {
  #cutter = new MarkdownCutter();
  readonly #parts: MarkdownParts;
  #isTailStale = false;
  #tailNotBefore = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #code: { readonly element: Element; shown: number } | undefined;

  constructor(
    root: HTMLElement,
    private readonly slices: Slices,
    private readonly onDone: () => void,
  ) {
    this.#parts = new MarkdownParts(root, fragmentOf);
  }

  /** Whether all text is shown. */
  get isDone(): boolean {
    return !this.#parts.isWaiting && !this.#isTailStale;
  }

  show(text: string): void {
    let pieces = this.#cutter.extend(text);
    if (pieces === undefined) {
      this.#cutter = new MarkdownCutter();
      this.#parts.restart();
      this.#code = undefined;
      pieces = this.#cutter.extend(text) ?? [];
    }
    for (const piece of pieces) this.#parts.add(piece);
    if (pieces.length > 0) this.#code = undefined;
    this.#isTailStale = true;
    this.#work();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.slices.remove(this);
  }

  resume(): void {
    if (!this.isDone) this.#work();
  }

  #work(): void {
    clearTimeout(this.#timer);
    this.slices.add(this, () => this.#step());
  }

  #step(): boolean {
    if (this.#parts.isEndWaiting) {
      this.#parts.fill();
      return true;
    }
    const wait = this.#isTailStale ? this.#tailNotBefore - performance.now() : 0;
    if (this.#isTailStale && wait <= 0) this.#showTail();
    else if (this.#parts.isWaiting) this.#parts.fill();
    else if (wait > 0) {
      this.#timer = setTimeout(() => this.#work(), wait);
      return false;
    }
    if (!this.isDone) return true;
    this.onDone();
    return false;
  }

  #showTail(): void {
    const start = performance.now();
    this.#drawTail();
    const end = performance.now();
    this.#tailNotBefore = end + (end - start) * (tailShare - 1);
    this.#isTailStale = false;
  }

  #drawTail(): void {
    const { tail, openFence } = this.#cutter;
    if (openFence === undefined) {
      this.#code = undefined;
      this.#parts.showEnd(fragmentOf(tail));
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
    const fragment = decorateBlocks(cleanFragment(html));
    const element = fragment.querySelector("code");
    if (!isLong || element === null) {
      this.#parts.showEnd(fragment);
      return;
    }
    appendCode(element, code);
    this.#parts.showEnd(fragment);
    const shown = this.#parts.lastBlock?.querySelector("code");
    this.#code = shown ? { element: shown, shown: code.length } : undefined;
  }
}

function fragmentOf(text: string): DocumentFragment {
  return decorateBlocks(cleanFragment(hasLongLine(text) ? codeBlockHtml("", text) : markdownToHtml(text)));
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

const config: Config & { RETURN_DOM_FRAGMENT: true } = {
  RETURN_DOM_FRAGMENT: true,
  // prettier-ignore
  ALLOWED_TAGS: [
    "#text", "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li", "ol", "p",
    "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
  ],
  ALLOWED_ATTR: ["alt", "class", "data-line", "data-path", "dir", "href", "src", "start", "title"],
  // Attributes that aren't URIs; DOMPurify checks all others as URIs.
  ADD_URI_SAFE_ATTR: ["data-line", "data-path", "dir", "start"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpe?g|gif|webp);base64,)/iu,
};

function cleanFragment(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, config);
}
