import type { Position } from "../../../protocol/index.js";

export interface RowRange {
  readonly first: number;
  readonly last: number;
  readonly before: number;
  readonly after: number;
}

/** Row positions, from measured heights or estimates for rows never shown. */
export class RowLayout {
  readonly #heights = new Map<string, number>();
  #keys: readonly string[] = [];
  #tops = new Float64Array(1);

  get count(): number {
    return this.#keys.length;
  }

  get height(): number {
    return this.#tops[this.#keys.length] ?? 0;
  }

  set(keys: readonly string[], estimate: (index: number) => number): void {
    this.#keys = keys;
    if (this.#tops.length < keys.length + 1) this.#tops = new Float64Array(keys.length * 2 + 1);
    let top = 0;
    for (const [index, key] of keys.entries()) {
      this.#tops[index] = top;
      top += this.#heights.get(key) ?? estimate(index);
    }
    this.#tops[keys.length] = top;
  }

  /** Stores a row's height. Returns true if it changed; call `set` to apply the change. */
  measure(key: string, height: number): boolean {
    const old = this.#heights.get(key);
    if (old !== undefined && Math.abs(old - height) < 0.5) return false;
    this.#heights.set(key, height);
    return true;
  }

  measured(key: string): number | undefined {
    return this.#heights.get(key);
  }

  indexOf(key: string): number {
    return this.#keys.indexOf(key);
  }

  top(index: number): number {
    return this.#tops[Math.min(index, this.#keys.length)] ?? 0;
  }

  indexAt(offset: number): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.top(middle + 1) <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, Math.min(low, this.#keys.length - 1));
  }

  rangeOf(from: number, to: number): RowRange {
    if (this.count === 0) return { first: 0, last: 0, before: 0, after: 0 };
    const first = this.indexAt(from);
    const last = this.indexAt(to) + 1;
    return { first, last, before: this.top(first), after: this.height - this.top(last) };
  }
}

/**
 * Visible row, or block in a long answer, whose position must not change when content above changes. Offsets are distances from the top of
 * the view.
 */
export interface ScrollAnchor extends Position {
  readonly block: Element;
  readonly blockOffset: number;
}

/** Returns the first visible row, or the first visible block in a long answer; undefined without visible rows. */
export function findAnchor(scroller: Element, rows: Iterable<HTMLElement>): ScrollAnchor | undefined {
  const { top, bottom } = scroller.getBoundingClientRect();
  for (const row of rows) {
    const key = row.dataset["key"];
    const place = row.getBoundingClientRect();
    if (key === undefined || place.bottom <= top + 1) continue;
    if (place.top >= bottom) return undefined;
    const parts = place.top < top ? row.querySelector("symposium-markdown")?.children : undefined;
    const part = parts && firstBelow(parts, top);
    const block = (part && firstBelow(part.children, top)) ?? part ?? row;
    return { key, offset: place.top - top, block, blockOffset: block.getBoundingClientRect().top - top };
  }
  return undefined;
}

function firstBelow(blocks: HTMLCollection, top: number): Element | undefined {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.getBoundingClientRect().bottom ?? 0) <= top) low = middle + 1;
    else high = middle;
  }
  return blocks[low];
}
