/** One name that a `use` declaration imports. */
export interface UseLeaf {
  /** Path without braces: `["crate", "runtime", "Runtime"]`. */
  readonly path: readonly string[];
  /** Imported name; `*` for all names of a module, `_` for none. */
  readonly name: string;
}

/** Parses masked text of a `use` declaration, such as `pub use a::{b as c, d::*};`. */
export function parseUse(declaration: string): UseLeaf[] {
  const tree = declaration
    .replace(/^\s*(?:pub(?:\s*\([^)]*\))?\s+)?use\b/, "")
    .trimEnd()
    .replace(/;$/, "");
  return leavesOf(tree, []);
}

/** Maximum nesting of braces, since each level is read again. */
const maxDepth = 32;

function leavesOf(tree: string, prefix: readonly string[], depth = 0): UseLeaf[] {
  if (depth > maxDepth) return [];
  const text = tree.trim();
  const brace = text.indexOf("{");
  if (brace === -1) return text === "" ? [] : [toLeaf(text, prefix)];
  const path = [...prefix, ...segmentsOf(text.slice(0, brace))];
  return splitAtCommas(text.slice(brace + 1, text.lastIndexOf("}"))).flatMap((part) => leavesOf(part, path, depth + 1));
}

function toLeaf(text: string, prefix: readonly string[]): UseLeaf {
  const [, spelled = text, rename] = /^(.*?)(?<!\s)\s+as\s+(\w+)$/s.exec(text) ?? [];
  const path = [...prefix, ...segmentsOf(spelled)];
  if (path.at(-1) === "*") return { path: path.slice(0, -1), name: "*" };
  const target = path.at(-1) === "self" && path.length > 1 ? path.slice(0, -1) : path;
  return { path: target, name: rename ?? target.at(-1) ?? "" };
}

/** A leading `::` becomes an empty first segment. */
function segmentsOf(path: string): string[] {
  const segments = path.split("::").map((segment) => segment.trim().replace(/^r#/, ""));
  return segments.filter((segment, index) => segment !== "" || (index === 0 && segments.length > 1));
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "{") depth++;
    else if (character === "}") depth--;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}
