import { parsedValue } from "../../base/rpc/json.js";

/** Escapes that `JSON.stringify` doesn't produce. */
const foreign = /\\(?:\/|u(?!00(?:0[0-7bef]|1[\da-f])))/;
/** Matches escapes. Includes consecutive `\u` escapes in one match, since two of them may form a surrogate pair. */
const escapes = /(?:\\u[\da-f]{4}){1,1000}|\\[^u]/gi;

/**
 * Rewrites escapes in JSON lines to the form that `JSON.stringify` uses, for example `\/` to `/` and `\u00e9` to `é`, so that a text search
 * works.
 */
export function respelled(lines: string): string {
  return lines.includes("\\") && foreign.test(lines) ? lines.replace(escapes, ownSpelling) : lines;
}

function ownSpelling(found: string): string {
  if (found === "\\/") return "/";
  return found.startsWith("\\u") ? JSON.stringify(parsedValue(`"${found}"`)).slice(1, -1) : found;
}
