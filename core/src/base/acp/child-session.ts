import { asObject, type Json, stringOf } from "../rpc/json.js";
import { updateKindIn } from "./session-message.js";

/** The session of its own that the agent announces with these parameters of a `session/update`: a sub-agent's. */
export function announcedChild(params: Json): string | undefined {
  if (updateKindIn(params.text) !== "subagent_update") return undefined;
  const id = asObject(params.object?.["update"])?.["sessionId"];
  return stringOf(id);
}
