interface Part {
  readonly element: HTMLElement;
  readonly waiting: string[];
  chars: number;
  last: Node | null;
}

/** Size in characters at which a part is closed. The page lays out a closed part only while the part is visible. */
const partChars = 4_000;
/** Maximum characters to parse together, since each parse has a fixed cost. */
const batchChars = 1_500;
/** Estimated height in pixels per character for text that wasn't laid out yet. */
const pixelsPerChar = 0.45;

/**
 * Divides a text's blocks into parts, with the unfinished end last. Fills the last part first, since the user looks there; a long text only
 * costs as much as its visible part.
 */
export class MarkdownParts {
  #open: Part;
  #unfilled: Part[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly toBlocks: (text: string) => DocumentFragment,
  ) {
    this.#open = this.#begin();
  }

  get lastBlock(): Element | null {
    return this.#open.element.lastElementChild;
  }

  /** True while finished text before the end isn't shown. */
  get isWaiting(): boolean {
    return this.#unfilled.length > 0 || this.isEndWaiting;
  }

  /** True while finished text right before the unfinished end isn't shown. */
  get isEndWaiting(): boolean {
    return this.#open.waiting.length > 0 || this.#begun !== undefined;
  }

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

  showEnd(blocks: DocumentFragment): void {
    reconcile(this.#open.element, this.#open.last, blocks);
  }

  restart(): void {
    this.root.replaceChildren();
    this.#unfilled = [];
    this.#open = this.#begin();
  }

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
 * Updates the nodes after `last` in `parent` (all, if null) to match `wanted`. Reuses equal nodes, so that selected text stays selected
 * while an answer grows.
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
