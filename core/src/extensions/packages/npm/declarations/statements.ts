/** A top-level declaration, import or export of a file or block. */
export interface Statement {
  /** Offsets of the statement in the file's text. */
  readonly start: number;
  readonly end: number;
}

const blockForm =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:const\s+)?(?:abstract\s+)?(?:async\s+)?(?:class|interface|namespace|module|enum|function|global)\b/;
const beginsForm =
  /^(?:export|declare|import|interface|type\s+\w|abstract\s+class|class|function|async\s+function|const|let|var|namespace|module|enum)\b/;
/** Tokens after a closing brace that continue the same statement. */
const goesOnForm = /^\s*(?:[>|&[,=.?:;{)]|extends\b|implements\b|is\b)/;

/** Returns the statements in a part of masked text, in order. */
export function statementsIn(masked: string, from = 0, to = masked.length): readonly Statement[] {
  const found: Statement[] = [];
  let start = -1;
  let depth = 0;
  let last = "";
  const end = (at: number): void => {
    found.push({ start, end: at });
    start = -1;
    depth = 0;
  };
  for (let at = from; at < to; at++) {
    const character = masked[at] ?? "";
    if (character === "\n" && depth === 0 && start >= 0) {
      const rest = masked.slice(at + 1, at + 200).trimStart();
      if (beginsForm.test(rest) && !/[=|&,(<:?+.]/.test(last)) end(at);
      continue;
    }
    if (character.trim() === "") continue;
    last = character;
    if (start < 0) {
      if (character === ";" || character === "}") continue;
      start = at;
    }
    if (character === "{" || character === "(" || character === "[") depth++;
    else if (character === "}" || character === ")" || character === "]") {
      depth = Math.max(depth - 1, 0);
      if (character !== "}" || depth > 0) continue;
      if (blockForm.test(masked.slice(start, start + 200)) && !goesOnForm.test(masked.slice(at + 1, at + 60)))
        end(at + 1);
    } else if (character === ";" && depth === 0) end(at + 1);
  }
  if (start >= 0) found.push({ start, end: to });
  return found;
}

/** Returns the range inside the first top-level braces; undefined if there are none. */
export function bodyOf(masked: string, { start, end }: Statement): { from: number; to: number } | undefined {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const character = masked[at];
    if (character === "(" || character === "[") depth++;
    else if (character === ")" || character === "]") depth--;
    else if (character === "{" && depth === 0) {
      const to = closingOf(masked, at, end);
      // Skip braces in type parameters such as `<T = {}>`, since they don't enclose the body.
      if (/^\s*[>,]/.test(masked.slice(to + 1, to + 20))) at = to;
      else return { from: at + 1, to };
    }
  }
  return undefined;
}

function closingOf(masked: string, open: number, end: number): number {
  let depth = 0;
  for (let at = open; at < end; at++) {
    if (masked[at] === "{") depth++;
    else if (masked[at] === "}" && --depth === 0) return at;
  }
  return end;
}

/** Returns the members of a class, interface or type between `from` and `to`. */
export function membersIn(masked: string, from: number, to: number): readonly Statement[] {
  const found: Statement[] = [];
  let start = -1;
  let depth = 0;
  // After `<`, a comma may separate type arguments.
  let hasAngle = false;
  let next = from;
  const end = (at: number): void => {
    if (start >= 0) found.push({ start, end: at });
    start = -1;
    hasAngle = false;
  };
  for (let at = from; at < to; at++) {
    const character = masked[at] ?? "";
    if (character === "\n" && depth === 0 && start >= 0) {
      // Look for the next character only once, so that many blank lines don't take quadratic time.
      if (next <= at) for (next = at + 1; next < to && (masked[next] ?? "").trim() === ""; next++);
      if (
        next < to &&
        /[\w$["'#@]/.test(masked[next] ?? "") &&
        !/[=|&,(<:?+]\s*$/.test(masked.slice(Math.max(at - 20, from), at))
      )
        end(at);
      continue;
    }
    if (character.trim() === "") continue;
    if (start < 0 && character !== ";" && character !== ",") start = at;
    if (/[{([]/.test(character)) depth++;
    else if (/[})\]]/.test(character)) depth--;
    else if (character === "<") hasAngle = true;
    else if (depth === 0 && (character === ";" || (character === "," && !hasAngle))) end(at + 1);
    if (character === "}" && depth === 0 && /^\s*\n/.test(masked.slice(at + 1, at + 4))) end(at + 1);
  }
  end(to);
  return found;
}

/** Returns the offset of the documentation comment directly before `start`, or `start` if there is none. */
export function withDocs(text: string, start: number): number {
  const before = text.slice(0, start).trimEnd();
  if (!before.endsWith("*/")) return start;
  const open = before.lastIndexOf("/*");
  return open >= 0 && before.startsWith("/**", open) ? open : start;
}
