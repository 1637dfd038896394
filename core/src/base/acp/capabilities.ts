import { asObject } from "../rpc/json.js";

/**
 * Whether `capabilities` announce what `path` (dotted) names: true, or an object such as `{}` (ACP marks
 * supported abilities by either); null, false and absence mean no.
 */
export function hasCapability(capabilities: unknown, path: string): boolean {
  let value = capabilities;
  for (const key of path.split(".")) value = asObject(value)?.[key];
  return value === true || asObject(value) !== undefined;
}
