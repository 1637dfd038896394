import type { ParsedEvent } from "./parse-trace.js";

/**
 * Follows requests through the chain: by the index of a request, the index of the request with which its
 * receiver handed it on. Hops have ids of their own, so it is told by method, session and order: the oldest
 * request that waits at the sender and was not handed on yet.
 */
export function forwardsOf(events: readonly ParsedEvent[]): ReadonlyMap<number, number> {
  const forwards = new Map<number, number>();
  const waiting = new Map<string, number[]>();
  const placeOf = new Map<string, { readonly key: string; readonly index: number }>();
  for (const [index, event] of events.entries()) {
    if (event.type === "request") {
      const origin = takeOrigin(waiting.get(keyAt(event.from, event)), event, events);
      if (origin !== undefined) forwards.set(origin, index);
      const key = keyAt(event.to, event);
      const queue = waiting.get(key);
      if (queue) queue.push(index);
      else waiting.set(key, [index]);
      placeOf.set(hopKey(event.from, event.to, event), { key, index });
    } else if (event.type === "response") {
      const place = placeOf.get(hopKey(event.to, event.from, event));
      if (place) remove(waiting.get(place.key), place.index);
    }
  }
  return forwards;
}

/** A request that goes back to where it came from is another one. */
function takeOrigin(
  candidates: number[] | undefined,
  event: ParsedEvent,
  events: readonly ParsedEvent[],
): number | undefined {
  const origin = candidates?.find((index) => events[index]?.from !== event.to);
  if (origin !== undefined) remove(candidates, origin);
  return origin;
}

function remove(indexes: number[] | undefined, index: number): void {
  const place = indexes?.indexOf(index) ?? -1;
  if (place !== -1) indexes?.splice(place, 1);
}

function keyAt(component: string, event: ParsedEvent): string {
  return JSON.stringify([component, event.raw["method"], event.raw["session"]]);
}

function hopKey(from: string, to: string, event: ParsedEvent): string {
  return JSON.stringify([from, to, event.raw["id"]]);
}
