/**
 * Replaces comments and the contents of string and character literals by spaces, so that every remaining brace and keyword is code.
 * Preserves offsets and line breaks.
 */
export function maskSource(text: string): string {
  let masked = "";
  let done = 0;
  let index = 0;
  while (index < text.length) {
    const end = hiddenEnd(text, index);
    if (end === index) {
      index = wordEnd(text, index);
      continue;
    }
    masked += text.slice(done, index) + blank(text, index, end);
    done = index = end;
  }
  return masked + text.slice(done);
}

const rawString = /(?:b|c)?r(#*)"/y;
const word = /[A-Za-z_]\w*/y;
const characterLiteral = /'(?:\\(?:x[\dA-Fa-f]{2}|u\{[^}]*\}|.)|[^\\'\n])'/uy;

/** Returns the end of the comment or literal that starts at `index`, or `index` if there is none. */
function hiddenEnd(text: string, index: number): number {
  switch (text[index]) {
    case "/":
      if (text[index + 1] === "/") return endOr(text, text.indexOf("\n", index));
      return text[index + 1] === "*" ? blockCommentEnd(text, index) : index;
    case '"':
      return stringEnd(text, index);
    case "'":
      return matchEnd(characterLiteral, text, index) ?? index;
    case "r":
    case "b":
    case "c": {
      rawString.lastIndex = index;
      const raw = rawString.exec(text);
      if (!raw) return index;
      const close = `"${raw[1] ?? ""}`;
      const at = text.indexOf(close, index + raw[0].length);
      return at === -1 ? text.length : at + close.length;
    }
    default:
      return index;
  }
}

function blockCommentEnd(text: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

function stringEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === '"') return index + 1;
  }
  return text.length;
}

/** Skips a complete word, so that the `r` of `for` doesn't start a raw string. */
function wordEnd(text: string, index: number): number {
  return matchEnd(word, text, index) ?? index + 1;
}

function matchEnd(pattern: RegExp, text: string, index: number): number | undefined {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endOr(text: string, end: number): number {
  return end === -1 ? text.length : end;
}

/** Replaces all but line breaks by spaces. Strings keep their quotes. */
function blank(text: string, start: number, end: number): string {
  const spaces = text.slice(start, end).replace(/[^\n\r]/g, " ");
  const first = text.slice(start, end).search(/["]/);
  if (text[start] === "/" || text[start] === "'" || first === -1) return spaces;
  const last = text.lastIndexOf('"', end - 1) - start;
  return `${spaces.slice(0, first)}"${spaces.slice(first + 1, Math.max(last, first + 1))}${last > first ? '"' : ""}${spaces.slice(Math.max(last, first) + 1)}`;
}
