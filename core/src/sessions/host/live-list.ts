import { arrayOf, elementsOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { Outcome } from "../../base/rpc/message.js";
import type { LiveSession } from "./live-session.js";

const statePath = ["_meta", "symposium", "state"] as const;

/**
 * Adds the live sessions of all clients to a `session/list` answer. Sessions already listed get their live state; the rest are put before
 * the first page, most recently changed first.
 */
export function listWithLive(outcome: Outcome, params: Json | undefined, sessions: Iterable<LiveSession>): Outcome {
  if (outcome.isError) return outcome;
  const { cwd, cursor } = params?.object ?? {};
  const live = [...sessions].filter(
    ({ hasHistory, folder }) => hasHistory && (typeof cwd !== "string" || folder === cwd),
  );
  const named = elementsOf(memberOf(outcome.json, "sessions") ?? Json.null) ?? [];
  const liveOf = (entry: Json): LiveSession | undefined => {
    const folder = entry.object?.["cwd"];
    return live.find((one) => one.id === sessionIdOf(entry) && (folder === undefined || one.folder === folder));
  };
  const seen = new Set(named.map(liveOf));
  const isFirstPage = cursor === undefined || cursor === null;
  const added = isFirstPage ? live.filter((one) => !seen.has(one)) : [];
  const entries = [
    ...added.sort((one, other) => other.changedAt - one.changedAt).map(entryOf),
    ...named.map((entry) => {
      const session = liveOf(entry);
      return session ? withMember(entry, statePath, Json.of(session.state)) : entry;
    }),
  ];
  return Outcome.result(withMember(outcome.json, ["sessions"], arrayOf(entries)));
}

function entryOf({ id, folder, title, changedAt, state }: LiveSession): Json {
  return Json.of({
    sessionId: id,
    cwd: folder,
    ...(title !== "" && { title }),
    updatedAt: new Date(changedAt).toISOString(),
    _meta: { symposium: { state } },
  });
}
