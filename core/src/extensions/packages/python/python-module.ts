import { type Marks, maskedText } from "../text/masked-text.js";

export interface PythonDeclaration {
  readonly kind: "def" | "class" | "assignment";
  readonly name: string;
  /** Offsets of the declaration in the text, including its decorators. */
  readonly start: number;
  readonly end: number;
  /** Offset of the first statement in the body, after the head and the documentation. */
  readonly bodyStart: number;
  /** Line of the declaration, counted from 1, not including its decorators. */
  readonly line: number;
  /** Text between the declared name and the colon or equals sign, with strings blanked. */
  readonly head: string;
  /** First and last line of the declaration's body. */
  readonly first: number;
  readonly last: number;
}

interface PythonImport {
  /** Absolute module name, or a relative one that starts with one dot per level. */
  readonly module: string;
  /** Imported name: undefined for the module itself, `*` for all its exports. */
  readonly name: string | undefined;
  /** Local name of the import. */
  readonly as: string;
}

interface Line {
  readonly indent: number;
  readonly start: number;
  readonly end: number;
  readonly number: number;
  /** Text of the line, with comments and strings blanked. */
  readonly text: string;
}

const marks: readonly Marks[] = [
  { open: '"""', close: '"""', hasEscapes: true },
  { open: "'''", close: "'''", hasEscapes: true },
  { open: '"', close: '"', hasEscapes: true, isOneLine: true },
  { open: "'", close: "'", hasEscapes: true, isOneLine: true },
  { open: "#", close: "\n" },
];

/** Parses a Python module without running it. Includes declarations in `if` and `try` at the top level. */
export class PythonModule {
  readonly #lines: readonly Line[];
  readonly declarations: readonly PythonDeclaration[];
  readonly imports: readonly PythonImport[];
  /** Names in the module's `__all__`; undefined if the module has none. */
  readonly exported: ReadonlySet<string> | undefined;

  constructor(readonly text: string) {
    this.#lines = logicalLines(maskedText(text, marks));
    this.declarations = this.#declared(0, this.#lines.length);
    const imports: PythonImport[] = [];
    const exported = new Set<string>();
    let hasList = false;
    for (const { text: line, start, end } of this.#lines) {
      imports.push(...importsIn(line));
      if (!/^\s*__all__\b/.test(line)) continue;
      hasList = true;
      for (const [, name = ""] of this.text.slice(start, end).matchAll(/["'](\w+)["']/g)) exported.add(name);
    }
    this.imports = imports;
    this.exported = hasList ? exported : undefined;
  }

  /** Returns the declarations in a class body. */
  members({ first, last }: PythonDeclaration): readonly PythonDeclaration[] {
    return this.#declared(first, last);
  }

  #declared(first: number, last: number): readonly PythonDeclaration[] {
    const found: PythonDeclaration[] = [];
    let decorated: number | undefined;
    for (let index = first; index < last; index++) {
      const line = this.#lines[index];
      if (!line) break;
      if (/^\s*@/.test(line.text)) {
        decorated ??= line.start;
        continue;
      }
      const [, kind, name] = /^\s*(?:async\s+)?(def|class)\s+(\w+)/.exec(line.text) ?? [];
      if ((kind === "def" || kind === "class") && name !== undefined) {
        let end = index + 1;
        while (end < last && (this.#lines[end]?.indent ?? 0) > line.indent) end++;
        const next = this.#lines[end];
        const endAt = this.#trimmed(line.end, next ? next.start : this.text.length);
        const inner = this.#lines[index + 1];
        found.push({
          kind,
          name,
          start: decorated ?? line.start,
          end: endAt,
          bodyStart: end > index + 1 && inner ? inner.start : endAt,
          line: line.number,
          head: line.text.slice(line.text.indexOf(name) + name.length).trim(),
          first: index + 1,
          last: end,
        });
        index = end - 1;
      } else {
        const names = /^\s*((?:\w+\s*=\s*)*\w+)\s*(?::[^=]|=(?!=))/.exec(line.text.slice(0, 500))?.[1] ?? "";
        const isKeyword = /^\s*(?:if|elif|else|try|except|finally|with|for|while|return|lambda|match|case)\b/.test(
          line.text,
        );
        const alias = /^\s*type\s+(\w+)/.exec(line.text)?.[1];
        for (const name of isKeyword ? [] : alias === undefined ? names.split("=") : [alias]) {
          if (name.trim() === "") continue;
          const { start, end, number } = line;
          found.push({
            kind: "assignment",
            name: name.trim(),
            start,
            end,
            bodyStart: end,
            line: number,
            head: "",
            first: 0,
            last: 0,
          });
        }
      }
      decorated = undefined;
    }
    return found;
  }

  /** Returns the end of a declaration without trailing blank lines and comments, which belong to the next statement. */
  #trimmed(least: number, end: number): number {
    let at = end;
    while (at > least) {
      const start = this.text.lastIndexOf("\n", at - 2) + 1;
      const line = this.text.slice(start, at).trim();
      if (start < least || (line !== "" && !line.startsWith("#"))) break;
      at = start;
    }
    return at;
  }
}

/** Joins lines at open brackets and backslashes, as Python does. Omits blank lines and lines in strings. */
function logicalLines(masked: string): readonly Line[] {
  const lines: Line[] = [];
  let [start, current] = [0, 0];
  let depth = 0;
  let first = 1;
  for (let at = 0; at <= masked.length; at = at + 1) {
    const next = masked.indexOf("\n", at);
    const end = next < 0 ? masked.length : next;
    const physical = masked.slice(at, end);
    current++;
    if (depth === 0) [start, first] = [at, current];
    for (const character of physical) {
      if ("([{".includes(character)) depth++;
      else if (")]}".includes(character)) depth = Math.max(depth - 1, 0);
    }
    const continues = /\\\s*$/.test(physical.slice(-20));
    at = end;
    if ((depth > 0 || continues) && at < masked.length) {
      if (continues && depth === 0) depth = 0;
      if (depth > 0) continue;
      // A backslash at the end of a line continues the line.
      const after = masked.indexOf("\n", at + 1);
      at = after < 0 ? masked.length : after;
      current++;
    }
    const text = masked.slice(start, at);
    if (text.trim() === "") continue;
    const space = /^[ \t]*/.exec(text)?.[0] ?? "";
    lines.push({ indent: space.replaceAll("\t", "        ").length, start, end: at, number: first, text });
  }
  return lines;
}

function importsIn(line: string): readonly PythonImport[] {
  // Collapses brackets and white space, so that the patterns match quickly.
  const plain = line.replace(/[()\\\s]+/g, " ").trim();
  const [, module, list] = /^from (\.*(?: \.*)?\w*(?:\.\w+)*) import (.+)$/.exec(plain) ?? [];
  if (module !== undefined && list !== undefined) {
    return list.split(",").flatMap((one) => {
      const [name = "", as] = one.trim().split(/\s+as\s+/);
      return name === "" ? [] : [{ module: module.replaceAll(" ", ""), name: name.trim(), as: (as ?? name).trim() }];
    });
  }
  const [, modules] = /^import\s+(.+)$/.exec(plain) ?? [];
  return (modules ?? "").split(",").flatMap((one) => {
    const [name = "", as] = one.trim().split(/\s+as\s+/);
    if (!/^[\w.]+$/.test(name)) return [];
    return as === undefined
      ? [{ module: name.split(".", 1)[0] ?? name, name: undefined, as: name.split(".", 1)[0] ?? name }]
      : [{ module: name, name: undefined, as: as.trim() }];
  });
}
