import type { ParsedEvent, ParsedTrace } from "./parse-trace.js";

/** How long the requests of one hop took. */
export interface HopLatency {
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds, of those that were answered; undefined when none was. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly maxMs: number | undefined;
  /** The part of the median that `to` took itself: without the time its own successor had the same request. */
  readonly ownP50Ms: number | undefined;
}

export interface SlowRequest {
  /** Index of the request among the events. */
  readonly index: number;
  readonly event: ParsedEvent;
  readonly durationMs: number;
}

export interface TraceSummary {
  readonly requests: number;
  readonly notifications: number;
  readonly errors: number;
  readonly unanswered: number;
  readonly sessions: number;
  /** From the first event to the last. */
  readonly spanMs: number;
  /** The slowest first; each request once, on its first hop. */
  readonly slowest: readonly SlowRequest[];
  readonly hops: readonly HopLatency[];
  /** By event: the index of the response to a request, of the request of a response; -1 for none. */
  readonly partners: readonly number[];
  /** By event: how long its request took, in milliseconds, at requests and responses that have each other. */
  readonly durations: readonly (number | undefined)[];
}

interface TimedRequest {
  readonly event: ParsedEvent;
  readonly index: number;
  readonly isError: boolean;
  /** Undefined when no answer came. */
  readonly durationMs: number | undefined;
  /** How long the receiver's successor had it: 0 when it was not forwarded, undefined when that one never answered. */
  readonly forwardMs: number | undefined;
}

const slowestCount = 6;

/** Pairs requests with responses and says what stands out. */
export function summarizeTrace({ events }: Pick<ParsedTrace, "events">): TraceSummary {
  const partners = pair(events);
  const durations = events.map((event, index) => durationOf(event, events[partners[index] ?? -1]));
  const forwards = forwardsOf(events);
  const requests = events.flatMap((event, index): TimedRequest[] => {
    if (event.type !== "request") return [];
    const forward = forwards.get(index);
    const isError = isErrorResponse(events[partners[index] ?? -1]);
    const forwardMs = forward === undefined ? 0 : durations[forward];
    return [{ event, index, isError, durationMs: durations[index], forwardMs }];
  });
  const answered = requests.filter((request) => request.durationMs !== undefined);
  const forwarded = new Set(forwards.values());
  return {
    requests: requests.length,
    notifications: events.filter((event) => event.type === "notification").length,
    errors: events.filter(isErrorResponse).length,
    unanswered: requests.length - answered.length,
    sessions: new Set(events.map((event) => event.raw["session"]).filter((session) => typeof session === "string"))
      .size,
    spanMs: spanOf(events),
    slowest: slowestOf(requests.filter(({ index }) => !forwarded.has(index))),
    hops: hopsOf(requests),
    partners,
    durations,
  };
}

/** Whether `event` is an answer that failed. */
function isErrorResponse(event: ParsedEvent | undefined): boolean {
  return event?.type === "response" && event.raw["is_error"] === true;
}

/** Milliseconds for people: three digits that count. */
export function formatMs(ms: number): string {
  if (ms >= 60_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
  if (ms >= 999.5) return `${(ms / 1000).toFixed(ms >= 9_995 ? 1 : 2)} s`;
  return `${ms.toFixed(ms >= 99.95 ? 0 : ms >= 9.995 ? 1 : 2)} ms`;
}

function pair(events: readonly ParsedEvent[]): number[] {
  const partners = events.map(() => -1);
  const open = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const id = JSON.stringify(event.raw["id"]);
    if (event.type === "request") {
      open.set(JSON.stringify([event.from, event.to, id]), index);
    } else if (event.type === "response") {
      const key = JSON.stringify([event.to, event.from, id]);
      const request = open.get(key);
      open.delete(key);
      if (request === undefined) continue;
      partners[index] = request;
      partners[request] = index;
    }
  }
  return partners;
}

function durationOf(event: ParsedEvent, partner: ParsedEvent | undefined): number | undefined {
  if (partner === undefined) return undefined;
  const response = event.type === "response" ? event : partner;
  const told = response.raw["duration_ms"];
  return typeof told === "number" && Number.isFinite(told) ? told : Math.abs(event.ts - partner.ts) * 1000;
}

function spanOf(events: readonly ParsedEvent[]): number {
  const first = events[0]?.ts ?? 0;
  return ((events.at(-1)?.ts ?? first) - first) * 1000;
}

function slowestOf(requests: readonly TimedRequest[]): SlowRequest[] {
  const answered = requests.flatMap(({ event, index, durationMs }) =>
    durationMs === undefined ? [] : [{ event, index, durationMs }],
  );
  return answered.sort((a, b) => b.durationMs - a.durationMs).slice(0, slowestCount);
}

function hopsOf(requests: readonly TimedRequest[]): HopLatency[] {
  const byHop = new Map<string, [TimedRequest, ...TimedRequest[]]>();
  for (const request of requests) {
    const key = JSON.stringify([request.event.from, request.event.to]);
    const group = byHop.get(key);
    if (group) group.push(request);
    else byHop.set(key, [request]);
  }
  return [...byHop.values()].map((group) => {
    const times = sorted(group.map(({ durationMs }) => durationMs));
    const own = group.map(({ durationMs = NaN, forwardMs = NaN }) => Math.max(0, durationMs - forwardMs));
    return {
      from: group[0].event.from,
      to: group[0].event.to,
      requests: group.length,
      errors: group.filter(({ isError }) => isError).length,
      p50Ms: quantile(times, 0.5),
      p95Ms: quantile(times, 0.95),
      maxMs: times.at(-1),
      ownP50Ms: quantile(sorted(own), 0.5),
    };
  });
}

/** What is known, ascending. */
function sorted(times: readonly (number | undefined)[]): number[] {
  return times
    .filter((ms) => ms !== undefined)
    .filter((ms) => !Number.isNaN(ms))
    .sort((a, b) => a - b);
}

function quantile(ascending: readonly number[], share: number): number | undefined {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)];
}

/**
 * Follows requests through the chain: by the index of a request, the index of the request with which its
 * receiver handed it on. Hops have ids of their own, so it is told by method, session and order: the oldest
 * request that waits at the sender and was not handed on yet.
 */
function forwardsOf(events: readonly ParsedEvent[]): ReadonlyMap<number, number> {
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
