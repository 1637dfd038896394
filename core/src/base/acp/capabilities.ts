import { asObject } from "../rpc/json.js";

/**
 * Whether `capabilities` contain `path` (dotted) with a value of true or an object such as `{}`; ACP uses either. Null, false and absent
 * mean no.
 */
export function hasCapability(capabilities: unknown, path: string): boolean {
  let value = capabilities;
  for (const key of path.split(".")) value = asObject(value)?.[key];
  return value === true || asObject(value) !== undefined;
}
