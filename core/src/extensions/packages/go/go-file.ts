import { type Marks, maskedText } from "../text/masked-text.js";

export interface GoDeclaration {
  readonly keyword: "func" | "type" | "var" | "const" | "member";
  readonly name: string;
  /** Receiver type of a method. */
  readonly receiver?: string;
  /** Offsets of the documentation's start, the declaration's start and the end of the displayed text. */
  readonly start: number;
  readonly at: number;
  readonly end: number;
  /** Line of the declaration's start, from 1. */
  readonly line: number;
}

export interface GoFile {
  readonly text: string;
  readonly masked: string;
  readonly declarations: readonly GoDeclaration[];
  /** Import paths by the name used in the file. */
  readonly imports: ReadonlyMap<string, string>;
}

interface Members {
  readonly named: readonly GoDeclaration[];
  /** Types whose members are embedded. */
  readonly embedded: readonly { readonly qualifier: string | undefined; readonly name: string }[];
}

const marks: readonly Marks[] = [
  { open: "//", close: "\n" },
  { open: "/*", close: "*/" },
  { open: "`", close: "`" },
  { open: '"', close: '"', hasEscapes: true, isOneLine: true },
  { open: "'", close: "'", hasEscapes: true, isOneLine: true },
];

const keywords = ["func", "type", "var", "const", "import"] as const;

/** Maximum lines of a displayed function body; longer ones are omitted. */
const maxBodyLines = 40;

/** Parses the declarations of a gofmt-formatted Go file, in which they start at the beginning of a line. */
export function readGoFile(text: string): GoFile {
  const masked = maskedText(text, marks);
  const lines = linesOf(masked);
  const declarations: GoDeclaration[] = [];
  const imports = new Map<string, string>();
  for (let index = 0; index < lines.length; index++) {
    const start = lines[index] ?? 0;
    const line = lineAt(masked, start);
    const keyword = keywords.find((one) => line.startsWith(one) && !/^\w/.test(line.slice(one.length)));
    if (keyword === undefined) continue;
    const last = endLine(masked, lines, index);
    const end = lines[last + 1] ?? masked.length;
    if (keyword === "import") {
      readImports(text.slice(start, end), imports);
    } else if (keyword === "func") {
      const [, receiver, name] = /^func\s+(?:\(([^)]*)\)\s*)?(\w+)/.exec(line) ?? [];
      const type = receiver && /(\w+)\s*(?:\[[^\]]*\]?)?\s*$/.exec(receiver.slice(-300))?.[1];
      if (name !== undefined) {
        const shown = last - index > maxBodyLines ? (lines[headEnd(masked, lines, index) + 1] ?? end) : end;
        declarations.push({
          keyword,
          name,
          ...(type !== undefined && type !== "" && { receiver: type }),
          start: docsStart(text, masked, lines, index),
          at: start,
          end: shown,
          line: index + 1,
        });
      }
    } else {
      const isGroup = /^\w+\s*\($/.test(line.trimEnd());
      if (isGroup) {
        declarations.push(...members(text, masked, lines, index + 1, last).named.map((one) => ({ ...one, keyword })));
      } else {
        for (const name of namesIn(line.slice(keyword.length))) {
          declarations.push({
            keyword,
            name,
            start: docsStart(text, masked, lines, index),
            at: start,
            end,
            line: index + 1,
          });
        }
      }
    }
    index = last;
  }
  return { text, masked, declarations, imports };
}

/** Returns the fields of a struct or methods of an interface, and the embedded types. */
export function membersOf({ text, masked }: GoFile, { line, end }: GoDeclaration): Members {
  const lines = linesOf(masked);
  const last = lines.findIndex((start) => start >= end);
  return members(text, masked, lines, line, (last < 0 ? lines.length : last) - 1);
}

/** Returns the members that start in the lines from `first` to before `last`, at the depth of the first. */
function members(text: string, masked: string, lines: readonly number[], first: number, last: number): Members {
  const named: GoDeclaration[] = [];
  const embedded: { qualifier: string | undefined; name: string }[] = [];
  for (let index = first; index < last; index++) {
    const line = lineAt(masked, lines[index] ?? 0);
    const end = Math.min(endLine(masked, lines, index), last);
    const [, qualifier, type] = /^\s*\*?(?:(\w+)\.)?(\w+)(?:\[.*\])?\s*$/.exec(line) ?? [];
    const at = lines[index] ?? 0;
    const range = {
      start: docsStart(text, masked, lines, index),
      at,
      end: lines[end + 1] ?? masked.length,
      line: index + 1,
    };
    // In a group of constants, a name without a value repeats the previous expression.
    if (type !== undefined) embedded.push({ qualifier, name: type });
    for (const name of type !== undefined && qualifier === undefined ? [type] : namesIn(line)) {
      named.push({ keyword: "member", name, ...range });
    }
    index = end;
  }
  return { named, embedded };
}

/** Returns the names at the start of `a, b Type`, `a = 1` or `Method(…)`. */
function namesIn(line: string): readonly string[] {
  const [, list] = /^\s*(\w+(?:\s*,\s*\w+)*)\s*(?:[[(=*\w<{\])]|$|\.{3}|func|chan)/.exec(line) ?? [];
  return list === undefined
    ? []
    : list
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "_");
}

function linesOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? text.length : end);
}

/** Returns the line in which all brackets opened since line `index` are closed. */
function endLine(masked: string, lines: readonly number[], index: number): number {
  let depth = 0;
  for (let at = index; at < lines.length; at++) {
    for (const character of lineAt(masked, lines[at] ?? 0)) {
      if ("([{".includes(character)) depth++;
      else if (")]}".includes(character)) depth--;
    }
    if (depth <= 0) return at;
  }
  return lines.length - 1;
}

/** Returns the line in which the function body starts. */
function headEnd(masked: string, lines: readonly number[], index: number): number {
  for (let at = index; at < lines.length; at++)
    if (
      lineAt(masked, lines[at] ?? 0)
        .trimEnd()
        .endsWith("{")
    )
      return at;
  return index;
}

/** Returns the start of the comment directly above. Its lines are blank in the masked text. */
function docsStart(text: string, masked: string, lines: readonly number[], index: number): number {
  const isComment = (at: number): boolean => {
    const start = lines[at] ?? 0;
    return lineAt(masked, start).trim() === "" && lineAt(text, start).trim() !== "";
  };
  let first = index;
  while (first > 0 && isComment(first - 1)) first--;
  return lines[first] ?? 0;
}

function readImports(text: string, imports: Map<string, string>): void {
  for (const [, name, path = ""] of text.matchAll(/^[\t ]*(?:import\s*(?:\(\s*)?)?([\w.]+\s+)?"([^"\n]+)"/gm)) {
    const parts = path.split("/");
    const last = parts.at(-1) ?? "";
    const usual = (/^v\d+$/.test(last) ? (parts.at(-2) ?? last) : last).replace(/^go-|\.v\d+$/g, "");
    imports.set(name?.trim() ?? usual, path);
  }
}
