import { parsedValue } from "../../base/rpc/json.js";

/** An escape that `JSON.stringify` does not write, but other writers may. */
const foreign = /\\(?:\/|u(?!00(?:0[0-7bef]|1[\da-f])))/;
/** Those in a row are taken together, since a character may have two halves. */
const escapes = /(?:\\u[\da-f]{4}){1,1000}|\\[^u]/gi;

/**
 * Lines of JSON with the escapes that `JSON.stringify` uses, whoever wrote them: `/` for `\/`, `é` for `\u00e9`, so that a
 * text can be looked for in them. All else stays as it is.
 */
export function respelled(lines: string): string {
  return foreign.test(lines) ? lines.replace(escapes, ownSpelling) : lines;
}

function ownSpelling(found: string): string {
  if (found === "\\/") return "/";
  return found.startsWith("\\u") ? JSON.stringify(parsedValue(`"${found}"`)).slice(1, -1) : found;
}
