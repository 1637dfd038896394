/** A part of a text: an element with whole blocks. */
interface Part {
  readonly element: HTMLElement;
  /** Text of the part that is not shown yet. */
  readonly waiting: string[];
  chars: number;
  /** The last node that is finished. */
  last: Node | null;
}

/** A part that holds this much text is closed: the page lays out closed parts only where they are seen. */
const partChars = 4_000;
/** Pieces are parsed together up to this many characters: one parse costs more than its text. */
const batchChars = 1_500;
/** A first guess of the height of text, until it was seen: pixels a character. */
const pixelsPerChar = 0.45;

/**
 * The blocks of a text in parts: those that are finished, and after them the blocks of its unfinished end. The last
 * part is filled first, because that is where the user looks; a long text costs the page no more than what is in view.
 */
export class MarkdownParts {
  /** The last part, which grows. */
  #open: Part;
  /** Closed parts that wait for their blocks, in order. */
  #unfilled: Part[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly toBlocks: (text: string) => DocumentFragment,
  ) {
    this.#open = this.#begin();
  }

  /** The last block of the text. */
  get lastBlock(): Element | null {
    return this.#open.element.lastElementChild;
  }

  /** True while finished text before the end is not shown. */
  get isWaiting(): boolean {
    return this.#unfilled.length > 0 || this.isEndWaiting;
  }

  /** True while finished text is not shown that the unfinished end must come after. */
  get isEndWaiting(): boolean {
    return this.#open.waiting.length > 0 || this.#begun !== undefined;
  }

  /** Takes text that is whole blocks and will not change; `fill` shows it. */
  add(text: string): void {
    const part = this.#open;
    part.waiting.push(text);
    part.chars += text.length;
    if (part.chars < partChars) return;
    const guess = `${Math.round(part.chars * pixelsPerChar)}px`;
    part.element.classList.add("is-closed");
    part.element.style.containIntrinsicBlockSize = `auto ${guess}`;
    if (part.element.firstChild === null) part.element.style.minBlockSize = guess;
    this.#unfilled.push(part);
    this.#open = this.#begin();
  }

  /** Shows some more of what waits, the end first. */
  fill(): void {
    const part = this.#begun ?? (this.#open.waiting.length > 0 ? this.#open : this.#unfilled.at(-1));
    if (part === undefined) return;
    let text = "";
    let count = 0;
    for (const piece of part.waiting) {
      if (count > 0 && text.length + piece.length > batchChars) break;
      text += piece;
      count += 1;
    }
    part.waiting.splice(0, count);
    reconcile(part.element, part.last, this.toBlocks(text));
    part.last = part.element.lastChild;
    if (part === this.#open || part.waiting.length > 0) return;
    part.element.style.minBlockSize = "";
    this.#unfilled = this.#unfilled.filter((other) => other !== part);
  }

  /** Shows the blocks of the unfinished end in place of those of before. */
  showEnd(blocks: DocumentFragment): void {
    reconcile(this.#open.element, this.#open.last, blocks);
  }

  /** Forgets everything: another text begins. */
  restart(): void {
    this.root.replaceChildren();
    this.#unfilled = [];
    this.#open = this.#begin();
  }

  /** A closed part of which something is shown, the rest of which waits. */
  get #begun(): Part | undefined {
    return this.#unfilled.find(({ element }) => element.firstChild !== null);
  }

  #begin(): Part {
    const element = this.root.ownerDocument.createElement("div");
    element.className = "markdown-part";
    this.root.append(element);
    return { element, waiting: [], chars: 0, last: null };
  }
}

/**
 * Makes what follows `last` in `parent` (everything, where it is null) look like `wanted`, and keeps the nodes that are
 * the same already: what the user has selected stays selected while the end of an answer is written.
 */
function reconcile(parent: Node, last: Node | null, wanted: Node): void {
  let old = last === null ? parent.firstChild : last.nextSibling;
  let next = wanted.firstChild;
  while (old !== null && next !== null) {
    const [oldAfter, nextAfter]: [ChildNode | null, ChildNode | null] = [old.nextSibling, next.nextSibling];
    if (!old.isEqualNode(next)) {
      if (old instanceof Text && next instanceof Text) old.data = next.data;
      else if (isSameShell(old, next)) reconcile(old, null, next);
      else parent.replaceChild(next, old);
    }
    old = oldAfter;
    next = nextAfter;
  }
  while (old !== null) {
    const after: ChildNode | null = old.nextSibling;
    old.remove();
    old = after;
  }
  while (next !== null) {
    const after: ChildNode | null = next.nextSibling;
    parent.appendChild(next);
    next = after;
  }
}

function isSameShell(old: Node, next: Node): boolean {
  return old.cloneNode().isEqualNode(next.cloneNode());
}
