import { escapedPattern } from "../../../../base/star-pattern.js";
import { type Declaring, DeclaringLines } from "../../text/declaring-lines.js";

export interface FromModule {
  readonly from: string;
  /** Exported name in the other module; `*` for the whole module. */
  readonly name: string;
}

const beginning = String.raw`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?`;
const topForm = (name: string): string =>
  String.raw`${beginning}(?:(?:abstract|async|const(?=\s+enum\b))\s+)*` +
  String.raw`(?:class|interface|namespace|module|enum|function\s*\*?|type|const|let|var)\s+(${name})(?![\w$])|` +
  // A declaration such as `const a: A, b: B` has several names.
  String.raw`${beginning}(?:const|let|var)\s[^{(]*,\s*(${name})\s*:`;

/** How TypeScript and JavaScript declare names. */
export const typescript: Declaring = {
  marks: [
    { open: "//", close: "\n" },
    { open: "/*", close: "*/" },
    // Ends with the line, since a backtick in a regular expression would hide the rest of the file.
    { open: "`", close: "`", hasEscapes: true, isOneLine: true },
    { open: '"', close: '"', hasEscapes: true, isOneLine: true },
    { open: "'", close: "'", hasEscapes: true, isOneLine: true },
  ],
  top: (name) => new RegExp(topForm(name), "u"),
  member: (name) =>
    new RegExp(
      String.raw`${topForm(name)}|^\s*(?:(?:public|static|readonly|abstract|declare|protected|async|override|accessor|get|set)\s+)*(${name})\s*[?!]?\s*[(:<;=,]`,
      "u",
    ),
  type: /\b(?:class|interface|namespace|module|enum|type)\b/,
  above: /^\s*(?:\/\*\*|@)/,
  hidden: /^\s*private\b/,
};

/** A module in a file, or a `declare module` block that acts as one. */
export class ModuleFile extends DeclaringLines {
  readonly imported: ReadonlyMap<string, FromModule>;
  /** Exports by exported name: a local name, or a name in another module. */
  readonly exported: ReadonlyMap<string, string | FromModule>;
  /** Modules that are re-exported completely. */
  readonly stars: readonly string[];
  /** Name that the module exports with `export =`. */
  readonly exportEquals: string | undefined;
  /** Whether the file has imports or exports; otherwise all its declarations are global. */
  readonly isModule: boolean;

  constructor(
    path: string,
    readonly text: string,
  ) {
    super(path, text, typescript);
    // Statements with more indentation belong to blocks.
    const begin = `^[ \\t]{${Math.min(this.level, 100)}}`;
    const all = (form: string): Iterable<RegExpExecArray> =>
      text.slice(0, Math.max(text.lastIndexOf("}"), 0) + 10_000).matchAll(new RegExp(begin + form, "gm"));
    this.isModule = new RegExp(String.raw`${begin}(?:export|import)\b`, "m").test(this.masked);
    this.imported = importsIn(all);
    this.exported = exportsIn(all);
    this.stars = [...all(String.raw`export\s*(?:type\s*)?\*\s*from\s*["']([^"'\n]+)["']`)].map(([, from = ""]) => from);
    this.exportEquals = [...all(String.raw`export\s*=\s*([\w$.]+)`)][0]?.[1];
  }

  /** Returns only declarations outside of blocks. */
  override named(name: string): readonly number[] {
    return super.named(name).filter((at) => this.enclosing(at).length === 0);
  }

  /** Returns the lines that declare an export of this name. */
  exportedLines(name: string): readonly number[] {
    if (name === "default") return this.matching(/^\s*(export)\s+default\b/).map(({ at }) => at);
    return this.named(name).filter((at) => /^\s*export\s+(?!default\b)/.test(this.maskedFrom(at)));
  }

  get exportedNames(): readonly string[] {
    const declared = this.declared(/^\s*export\s+(?!default\b)/).map(({ name }) => name);
    const lists = this.matching(/^\s*export\s+(?:declare\s+)?(?:const|let|var)\s([^{(<]*),/);
    const more = lists.flatMap(({ at }) => [...this.maskedFrom(at).matchAll(/,\s*([\w$]+)\s*:/g)]);
    const main = this.exportedLines("default").length > 0 ? ["default"] : [];
    return [...this.exported.keys(), ...declared, ...more.map(([, name = ""]) => name), ...main];
  }

  /** Files that belong to it by `/// <reference path>`. */
  get references(): readonly string[] {
    const found = this.text.slice(0, 20_000).matchAll(/^\/\/\/\s*<reference\s+path=["']([^"']+)["']/gm);
    return [...found].map(([, path = ""]) => path);
  }

  /** Returns the `declare module` blocks for a module, with all other lines blank. */
  ambient(name: string): readonly ModuleFile[] {
    const form = new RegExp(String.raw`^\s*declare\s+module\s+["'](?:node:)?${escapedPattern(name)}["']`);
    return this.matching(/^\s*declare\s+(module)\s/)
      .filter(({ at }) => form.test(this.head(at)))
      .map(({ at }) => new ModuleFile(this.path, this.blockText(at)));
  }
}

/** Returns the matches of a pattern at the beginning of a module's statements. */
type Statements = (form: string) => Iterable<RegExpExecArray>;

function importsIn(all: Statements): ReadonlyMap<string, FromModule> {
  const found = new Map<string, FromModule>();
  for (const [, clause = "", from = ""] of all(String.raw`import\b([^"';]{0,20000}?)\bfrom\s*["']([^"'\n]+)["']`)) {
    const words = clause.replace(/^\s+type\s/, " ");
    const whole = /\*\s*as\s+([\w$]+)/.exec(words)?.[1];
    if (whole !== undefined) found.set(whole, { from, name: "*" });
    const main = /^\s*([\w$]+)/.exec(words)?.[1];
    if (main !== undefined) found.set(main, { from, name: "default" });
    for (const [name, local] of namesIn(words)) found.set(local, { from, name });
  }
  const required = String.raw`import\s+(?:type\s+)?([\w$]+)\s*=\s*require\(\s*["']([^"'\n]+)["']`;
  for (const [, name = "", from = ""] of all(required)) found.set(name, { from, name: "*" });
  return found;
}

function exportsIn(all: Statements): ReadonlyMap<string, string | FromModule> {
  const found = new Map<string, string | FromModule>();
  const lists = String.raw`export\s*(?:type\s*)?(\{[^}]*\})(?:\s*from\s*["']([^"'\n]+)["'])?`;
  for (const [, list = "", from] of all(lists)) {
    for (const [name, outer] of namesIn(list)) found.set(outer, from === undefined ? name : { from, name });
  }
  const wholes = String.raw`export\s*(?:type\s*)?\*\s*as\s+([\w$]+|"[^"\n]+")\s*from\s*["']([^"'\n]+)["']`;
  for (const [, name = "", from = ""] of all(wholes)) found.set(name, { from, name: "*" });
  for (const [, name = "", target = ""] of all(String.raw`export\s+import\s+([\w$]+)\s*=\s*([\w$.]+)`))
    found.set(name, target);
  const main = String.raw`export\s+default\s+(?!(?:abstract|async|class|function|interface)\b)([\w$.]+)[ \t;]*\r?$`;
  for (const [, name = ""] of all(main)) found.set("default", name);
  return found;
}

/** Returns the local and exported names in `{a, type b as c}`. */
function* namesIn(words: string): Generator<readonly [string, string]> {
  const inside = /\{([^}]*)\}/.exec(words)?.[1]?.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "") ?? "";
  for (const part of inside.split(",")) {
    const found = /^\s*(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part);
    if (found?.[1] !== undefined) yield [found[1], found[2] ?? found[1]];
  }
}
