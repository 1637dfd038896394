import { asObject, type Json } from "../rpc/json.js";
import { updateKindIn } from "./session-message.js";

/** The session of its own that the agent announces with these parameters of a `session/update`: a sub-agent's. */
export function announcedChild(params: Json): string | undefined {
  if (updateKindIn(params.text) !== "subagent_update") return undefined;
  const id = asObject(params.object?.["update"])?.["sessionId"];
  return typeof id === "string" ? id : undefined;
}
