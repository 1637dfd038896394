import { asObject, type Json, stringOf } from "../rpc/json.js";
import { updateKindIn } from "./session-message.js";

export function announcedChild(params: Json): string | undefined {
  if (updateKindIn(params.text) !== "subagent_update") return undefined;
  const id = asObject(params.object?.["update"])?.["sessionId"];
  return stringOf(id);
}
