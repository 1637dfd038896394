/**
 * JSON text as one line, whoever reads it: readers end a line at `\n`, `\r` (Python, SSE), U+2028 and U+2029 (Node's readline).
 * Outside of strings these are white space or no JSON; within them only the last two may stand, and are escaped.
 */
export function oneLine(json: string): string {
  const isOneLine =
    !json.includes("\n") && !json.includes("\r") && !json.includes("\u2028") && !json.includes("\u2029");
  if (isOneLine) return json;
  return json
    .replace(/[\n\r]/g, " ")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
