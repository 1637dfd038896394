import { asObject } from "../rpc/json.js";

/**
 * Whether the capability at the dotted `path` has the value true or an object such as `{}`; ACP uses either. A null, false or absent value
 * means no.
 */
export function hasCapability(capabilities: unknown, path: string): boolean {
  let value = capabilities;
  for (const key of path.split(".")) value = asObject(value)?.[key];
  return value === true || asObject(value) !== undefined;
}
