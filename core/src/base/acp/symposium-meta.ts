import { asObject, type Members } from "../rpc/json.js";

/** Returns Symposium's own members of a `_meta`. */
export function symposiumIn(meta: unknown): Members {
  return asObject(asObject(meta)?.["symposium"]) ?? {};
}
