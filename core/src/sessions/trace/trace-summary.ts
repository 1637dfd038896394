import type { ParsedEvent, ParsedTrace } from "./parse-trace.js";

export interface HopLatency {
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  readonly errors: number;
  /** Median duration of answered requests in milliseconds; undefined if there are none. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly maxMs: number | undefined;
  /** Median time in milliseconds that `to` itself took, without the time of the next component. */
  readonly ownP50Ms: number | undefined;
}

export interface SlowRequest {
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
  /** Milliseconds from the first event to the last. */
  readonly spanMs: number;
  /** The slowest requests, slowest first. Forwarded requests are listed only once, for the first component that received them. */
  readonly slowest: readonly SlowRequest[];
  readonly hops: readonly HopLatency[];
  /** For each event, the index of the matching response or request; -1 if there is none. */
  readonly partners: readonly number[];
  /** For each event, the milliseconds that its request took; undefined for events other than answered requests and their responses. */
  readonly durations: readonly (number | undefined)[];
}

interface TimedRequest {
  readonly event: ParsedEvent;
  readonly index: number;
  readonly isError: boolean;
  /** Milliseconds until the response; undefined if the request wasn't answered. */
  readonly durationMs: number | undefined;
  /**
   * Milliseconds that the component after the receiver took: 0 if the request wasn't forwarded, undefined if that component never answered.
   */
  readonly forwardMs: number | undefined;
}

const slowestCount = 6;

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

function isErrorResponse(event: ParsedEvent | undefined): boolean {
  return event?.type === "response" && event.raw["is_error"] === true;
}

/** Formats a duration with three significant digits. */
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

/** Sorts the known times in ascending order. */
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
 * Maps the index of each request to the index of the same request as forwarded to the next component. Ids differ between components, so
 * matches by method, session and order: the oldest request at the sender that hasn't been forwarded yet.
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

/** A request to the component from which it came isn't a forwarded request. */
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
