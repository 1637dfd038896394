import { Json } from "../rpc/json.js";
import { withMember, withoutMember } from "../rpc/json-edit.js";

/** Where a proxy finds the options of its entry in the configuration, in the parameters of its `initialize`. */
const place = ["_meta", "symposium", "options"] as const;

/** The parameters of `initialize` as a proxy with these options gets them. */
export function withOptions(params: Json | undefined, options: Readonly<Record<string, unknown>>): Json {
  return withMember(params ?? Json.ofText("{}"), place, Json.of(options));
}

/** The same as they go on to its successor: a proxy passes on what it got, and its options are its own. */
export function withoutOptions(params: Json | undefined): Json | undefined {
  return params && withoutMember(params, place);
}
