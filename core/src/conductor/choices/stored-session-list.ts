import { sessionIdOf } from "../../base/acp/session-message.js";
import { arrayOf, withMember, withoutMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";

export interface KeptPage {
  readonly sessions: readonly Json[];
  readonly nextCursor?: string | undefined;
}

/** A `session/list` request for stored conversations, which follow the agent's own list. */
interface PlaceInKept {
  /** Parameters that make the agent repeat its own list. */
  readonly ownParams: Json;
  readonly keptParams: Json;
}

/** Prefix that marks a cursor for stored conversations, not for the agent's list. */
const cursorStart = "symposium-kept:";

export function placeInKept(params: Json | undefined): PlaceInKept | undefined {
  const cursor = params?.object?.["cursor"];
  if (!params || typeof cursor !== "string" || !cursor.startsWith(cursorStart)) return undefined;
  return {
    ownParams: withoutMember(params, ["cursor"]),
    keptParams: withMember(params, ["cursor"], Json.of(cursor.slice(cursorStart.length))),
  };
}

/** Returns the parameters for the first page of stored conversations, given the parameters for the last page of the agent's list. */
export function firstOfKept(params: Json | undefined): Json | undefined {
  return params && withoutMember(params, ["cursor"]);
}

/**
 * Adds the stored sessions of `page` to `answer`, without those that the agent has `listed`. With a `place`, the agent's own sessions were
 * sent before and are omitted.
 */
export function behindOwn(
  answer: Json,
  listed: readonly Json[],
  page: KeptPage | undefined,
  place: PlaceInKept | undefined,
): Json {
  const ids = new Set(listed.map(sessionIdOf));
  const kept = page?.sessions.filter((session) => !ids.has(sessionIdOf(session))) ?? [];
  const whole = withMember(answer, ["sessions"], arrayOf(place ? kept : [...listed, ...kept]));
  if (!page && !place) return whole;
  const next = page?.nextCursor;
  if (next === undefined) return withoutMember(whole, ["nextCursor"]);
  return withMember(whole, ["nextCursor"], Json.of(`${cursorStart}${next}`));
}
