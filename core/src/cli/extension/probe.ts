import { isDeepStrictEqual } from "node:util";
import { asObject } from "../../rpc/json.js";

/** Methods that no version of ACP knows; the underscore makes them somebody's own. */
export const probeRequest = "_symposium/check";
export const probeNotification = "_symposium/check_note";
/** A kind of update, and a member, that no version of ACP knows. */
export const probeUpdate = "symposium_check_update";
export const probeMember = "symposiumCheck";

/** What travels through the extension and has to arrive as it left. */
export const probe = {
  text: 'Zürich "quoted" \\ 🦀\u2028line',
  count: 9_007_199_254_740_991,
  share: 0.5,
  nothing: null,
  nested: { list: [1, null, true, { deep: "" }], empty: {} },
} as const;

/** Where `actual` lacks something of `expected`, as dotted paths; what it has besides does not count. */
export function lostMembers(expected: unknown, actual: unknown, path = ""): readonly string[] {
  const wanted = asObject(expected);
  if (!wanted || Object.keys(wanted).length === 0) return isDeepStrictEqual(expected, actual) ? [] : [path];
  const given = asObject(actual);
  if (!given) return [path];
  return Object.entries(wanted).flatMap(([key, value]) =>
    lostMembers(value, given[key], path === "" ? key : `${path}.${key}`),
  );
}
