import { sessionIdOf } from "../../base/acp/session-message.js";
import { arrayOf, withMember, withoutMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";

/** A part of a list of kept conversations, and where the next one begins. */
export interface KeptPage {
  readonly sessions: readonly Json[];
  readonly nextCursor?: string | undefined;
}

/** A `session/list` that goes on in what is kept, behind the agent's own list, which it has seen. */
interface PlaceInKept {
  /** The parameters by which the agent lists what it has shown already. */
  readonly ownParams: Json;
  readonly keptParams: Json;
}

/** Tells a place in what is kept from one in an agent's own list. */
const cursorStart = "symposium-kept:";

export function placeInKept(params: Json | undefined): PlaceInKept | undefined {
  const cursor = params?.object?.["cursor"];
  if (!params || typeof cursor !== "string" || !cursor.startsWith(cursorStart)) return undefined;
  return {
    ownParams: withoutMember(params, ["cursor"]),
    keptParams: withMember(params, ["cursor"], Json.of(cursor.slice(cursorStart.length))),
  };
}

/** The parameters of the first part of what is kept, for those of the agent's last one. */
export function firstOfKept(params: Json | undefined): Json | undefined {
  return params && withoutMember(params, ["cursor"]);
}

/** The answer with the sessions that the agent has `listed`, unless it had before `place`, and those of `page` that it has not. */
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
