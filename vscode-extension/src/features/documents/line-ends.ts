/**
 * `text` with the line ends of `before`: agents tend to write LF where a file has CRLF. A text that has CRLF itself
 * stays as it is.
 */
export function keepLineEnds(text: string, before: string | undefined): string {
  if (before === undefined || text.includes("\r\n")) return text;
  const all = before.match(/\n/g)?.length ?? 0;
  const windows = before.match(/\r\n/g)?.length ?? 0;
  return windows > 0 && windows * 2 > all ? text.replaceAll("\n", "\r\n") : text;
}
