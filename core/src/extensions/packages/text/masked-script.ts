/**
 * Blanks the contents of comments, strings, templates and regular expressions in TypeScript or JavaScript. Keeps line breaks and the
 * offsets of all other characters.
 */
export function maskedScript(text: string): string {
  let masked = "";
  let kept = 0;
  const blank = (from: number, to: number): void => {
    masked += text.slice(kept, from) + text.slice(from, to).replace(/[^\n]/g, " ");
    kept = to;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "/" && text[at + 1] === "/") {
      const end = text.indexOf("\n", at);
      blank(at, end < 0 ? text.length : end);
    } else if (character === "/" && text[at + 1] === "*") {
      const end = text.indexOf("*/", at + 2);
      blank(at, end < 0 ? text.length : end + 2);
    } else if (character === '"' || character === "'") {
      blank(at + 1, endOfString(text, at, character));
    } else if (character === "`") {
      blank(at + 1, endOfTemplate(text, at));
    } else if (character === "/" && /(?:[(,=:[!&|?{};+]|return|^)\s*$/.test(text.slice(Math.max(at - 12, 0), at))) {
      const literal = /^\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//.exec(text.slice(at, at + 2_000))?.[0];
      if (literal === undefined) continue;
      blank(at, at + literal.length);
    } else continue;
    at = Math.max(kept - 1, at);
    // Keep the closing quote.
    if (character === '"' || character === "'" || character === "`") at = kept;
  }
  return masked + text.slice(kept);
}

function endOfString(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote || text[at] === "\n") return at;
  }
  return text.length;
}

function endOfTemplate(text: string, start: number): number {
  let depth = 0;
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (depth === 0 && text[at] === "`") return at;
    else if (text[at] === "$" && text[at + 1] === "{") depth++;
    else if (text[at] === "}" && depth > 0) depth--;
  }
  return text.length;
}
