import type { Position } from "../state/position.js";

/**
 * Something in view whose place must not change when what is above it does: a row and, within a long answer, a block of
 * it. Offsets are distances from the top of the view.
 */
export interface ScrollAnchor extends Position {
  readonly block: Element;
  readonly blockOffset: number;
}

/** The first row in view or, within a long answer, its first block in view. Undefined where no row is. */
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

/** The first of blocks that follow one another whose end is below `top`. */
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
