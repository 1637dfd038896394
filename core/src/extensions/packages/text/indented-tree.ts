import { stringOf } from "../../../base/rpc/json.js";
/** Parsed indented file: each key has a text value or nested keys. */
export type IndentedTree = ReadonlyMap<string, string | IndentedTree>;

interface Level {
  readonly indent: number;
  readonly tree: Map<string, string | IndentedTree>;
}

/**
 * Parses the subset of YAML that package managers write: keys with values or nested keys, `? key` and one-line `{a: b}`. Skips lists and
 * comments; many times faster than a complete YAML parser (hundreds of kilobytes take milliseconds).
 */
export function parseIndented(text: string): IndentedTree {
  const root = new Map<string, string | IndentedTree>();
  let levels: Level[] = [{ indent: -1, tree: root }];
  /** The pending `? key`, whose value starts on the next line with `:`. */
  let longKey: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const indent = line.length - line.trimStart().length;
    const content = line.slice(indent);
    if (content === "" || content.startsWith("#") || content.startsWith("- ") || content === "---") continue;
    levels = levels.filter((level) => level.indent < indent);
    const tree = levels.at(-1)?.tree ?? root;
    if (content.startsWith("? ")) {
      longKey = unquoted(content.slice(2).trim());
      continue;
    }
    if (longKey !== undefined && content.startsWith(":")) {
      const below = new Map<string, string | IndentedTree>();
      tree.set(longKey, below);
      levels.push({ indent, tree: below });
      // The text after the colon is the first nested key. It is indented by two spaces.
      const first = keyAndValue(content.slice(1).trimStart());
      if (first?.value !== undefined) below.set(first.key, valueOf(first.value));
      longKey = undefined;
      continue;
    }
    const found = keyAndValue(content);
    if (!found) continue;
    if (found.value === undefined) {
      const below = new Map<string, string | IndentedTree>();
      tree.set(found.key, below);
      levels.push({ indent, tree: below });
    } else {
      tree.set(found.key, valueOf(found.value));
    }
  }
  return root;
}

/** Returns the tree at nested keys; empty if there is none. */
export function treeAt(tree: IndentedTree, ...keys: readonly string[]): IndentedTree {
  let at: IndentedTree = tree;
  for (const key of keys) {
    const below = at.get(key);
    if (typeof below !== "object") return new Map();
    at = below;
  }
  return at;
}

/** Returns the text at a key; undefined if there is none. */
export function textAt(tree: IndentedTree, key: string): string | undefined {
  const value = tree.get(key);
  return stringOf(value);
}

function keyAndValue(content: string): { readonly key: string; readonly value: string | undefined } | undefined {
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=\s*:)/.exec(content)?.[0];
  const plainEnd = quoted === undefined ? content.search(/:(?:\s|$)/) : content.indexOf(":", quoted.length);
  if (plainEnd < 0) return undefined;
  const value = content.slice(plainEnd + 1).trim();
  return {
    key: unquoted(quoted ?? content.slice(0, plainEnd).trim()),
    value: value === "" || value.startsWith("#") ? undefined : value,
  };
}

function valueOf(text: string): string | IndentedTree {
  if (!text.startsWith("{") || !text.endsWith("}")) return unquoted(text);
  const below = new Map<string, string | IndentedTree>();
  for (const part of text.slice(1, -1).split(/,\s+/)) {
    const found = keyAndValue(part.trim());
    if (found?.value !== undefined) below.set(found.key, unquoted(found.value));
  }
  return below;
}

function unquoted(text: string): string {
  if (text.length >= 2 && text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (text.length >= 2 && text.startsWith('"') && text.endsWith('"')) {
    return text.slice(1, -1).replace(/\\(.)/g, "$1");
  }
  return text;
}
