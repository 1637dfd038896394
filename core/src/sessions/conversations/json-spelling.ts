import { parsedValue } from "../../base/rpc/json.js";

/** Escapes that `JSON.stringify` doesn't produce. */
const foreign = /\\(?:\/|u(?!00(?:0[0-7bef]|1[\da-f])))/;
/** Matches consecutive escapes together, since a character may be a surrogate pair. */
const escapes = /(?:\\u[\da-f]{4}){1,1000}|\\[^u]/gi;

/**
 * Rewrites escapes in JSON lines as `JSON.stringify` writes them, for example `/` for `\/` and `é` for `\u00e9`, so that a text search
 * works.
 */
export function respelled(lines: string): string {
  return foreign.test(lines) ? lines.replace(escapes, ownSpelling) : lines;
}

function ownSpelling(found: string): string {
  if (found === "\\/") return "/";
  return found.startsWith("\\u") ? JSON.stringify(parsedValue(`"${found}"`)).slice(1, -1) : found;
}
