import { maxIdeItems, type OperationState, type PageAnswer, type PageParams } from "@symposium-dev/core";

/** The part of `items` that was asked for. */
export function page<T>(
  items: readonly T[],
  { offset = 0, limit = maxIdeItems }: PageParams,
  state: OperationState,
): PageAnswer<T> {
  return { state, items: items.slice(offset, offset + Math.min(limit, maxIdeItems)), total: items.length };
}
