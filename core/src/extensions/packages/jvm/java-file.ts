import { type Marks, maskedText } from "../text/masked-text.js";

export interface JavaDeclaration {
  readonly kind: "type" | "method" | "field";
  readonly name: string;
  /** Enclosing types, outermost first. */
  readonly owners: readonly string[];
  /** Declaration on one line, without body and documentation. */
  readonly signature: string;
  /** Documentation and declaration as in the file. */
  readonly text: string;
  /** Line of the declaration without its documentation, from 1. */
  readonly line: number;
  /** Whether the declaration is public, protected or an enum constant. In an interface, everything except private members is visible. */
  readonly isVisible: boolean;
}

interface OpenType {
  readonly name: string;
  readonly isInterface: boolean;
  /** Whether enum constants can follow, which is the case up to the first semicolon. */
  hasConstants: boolean;
}

const marks: readonly Marks[] = [
  { open: "/*", close: "*/" },
  { open: "//", close: "\n" },
  { open: '"""', close: '"""', hasEscapes: true },
  { open: '"', close: '"', hasEscapes: true, isOneLine: true },
  { open: "'", close: "'", hasEscapes: true, isOneLine: true },
];
const typeForm = /(?:^|[\s)])(@?interface|class|enum|record)\s+([\p{L}_$][\w$]*)/u;
const methodForm = /([\p{L}_$][\w$]*)\s*$/u;
/** Limit, since searching a name at the end of a text takes quadratic time. */
const maxName = 300;
const maxText = 6_000;
/** Maximum nesting of types, more than in real code. */
const maxDepth = 20;

/** Parses the declarations of a Java file by its braces and skips method bodies. Takes one pass for any text. */
export function readJavaFile(text: string): readonly JavaDeclaration[] {
  const masked = maskedText(text, marks);
  const found: JavaDeclaration[] = [];
  const types: OpenType[] = [];
  const lineAt = lineCounter(text);
  let begin = 0;
  const add = (kind: JavaDeclaration["kind"], name: string, end: number): void => {
    found.push(declarationOf(text, masked, [begin, end], { kind, name, types, lineAt }));
  };
  for (let at = 0; at < masked.length; at++) {
    const character = masked[at];
    const inside = types.at(-1);
    if (character === "(") at = closing(masked, at, "(", ")");
    else if (character === "," && inside?.hasConstants === true) {
      addConstant(masked.slice(begin, at), add, at);
      begin = at + 1;
    } else if (character === ";") {
      const head = masked.slice(begin, at);
      if (inside?.hasConstants === true) addConstant(head, add, at);
      else if (inside) addMember(head, add, at);
      if (inside) inside.hasConstants = false;
      begin = at + 1;
    } else if (character === "=" && inside && !inside.hasConstants) {
      // An initializer may contain braces and even types.
      const end = endOfValue(masked, at);
      addMember(masked.slice(begin, at), add, at);
      at = end;
      begin = end + 1;
    } else if (character === "{" && inside?.hasConstants === true) {
      // Skips the class body of an enum constant.
      at = closing(masked, at, "{", "}");
    } else if (character === "{") {
      const head = masked.slice(begin, at);
      const [, keyword = "", name] = typeForm.exec(head.replace(/@\w+\s*\([^)]*\)/g, " ")) ?? [];
      if (name !== undefined && types.length < maxDepth) {
        add("type", name, at);
        types.push({ name, isInterface: keyword.endsWith("interface"), hasConstants: keyword === "enum" });
      } else {
        if (inside) addMember(head, add, at);
        at = closing(masked, at, "{", "}");
      }
      begin = at + 1;
    } else if (character === "}") {
      if (inside?.hasConstants === true) addConstant(masked.slice(begin, at), add, at);
      types.pop();
      begin = at + 1;
    }
  }
  return found;
}

type Add = (kind: JavaDeclaration["kind"], name: string, end: number) => void;

function addConstant(head: string, add: Add, end: number): void {
  const name = /^\s*(?:@\w+(?:\([^)]*\))?\s*)*([\p{L}_$][\w$]*)/u.exec(head)?.[1];
  if (name !== undefined) add("field", name, end);
}

function addMember(head: string, add: Add, end: number): void {
  const plain = head.replace(/@[\w.]+\s*\([^()]*\)/g, " ");
  const paren = plain.indexOf("(");
  const name = methodForm.exec((paren === -1 ? plain : plain.slice(0, paren)).trimEnd().slice(-maxName))?.[1];
  // `static { }` and single words declare nothing.
  if (name === undefined || /^(?:static|default)$/.test(name) || (paren === -1 && !/\S\s+\S/.test(plain))) return;
  add(paren === -1 ? "field" : "method", name, end);
}

interface Facts {
  readonly kind: JavaDeclaration["kind"];
  readonly name: string;
  readonly types: readonly OpenType[];
  readonly lineAt: (offset: number) => number;
}

function declarationOf(
  text: string,
  masked: string,
  [begin, end]: readonly [begin: number, end: number],
  { kind, name, types, lineAt }: Facts,
): JavaDeclaration {
  const head = masked.slice(begin, end);
  const start = begin + (head.length - head.trimStart().length);
  const doc = text.slice(begin, start).lastIndexOf("/**");
  const signature = text.slice(start, end).replace(/\s+/g, " ").trim();
  const shown = text.slice(doc === -1 ? start : begin + doc, end).trim();
  const isInInterface = types.at(-1)?.isInterface === true;
  return {
    kind,
    name,
    owners: types.map((one) => one.name),
    signature,
    text: dedented(shown.length > maxText ? `${shown.slice(0, maxText)}…` : shown),
    line: lineAt(start),
    isVisible:
      !/(?:^|\s)private\s/.test(head) &&
      (isInInterface || types.at(-1)?.hasConstants === true || /(?:^|\s)(?:public|protected)\s/.test(head)),
  };
}

/** Returns the offset of the matching closing bracket, or the end of the text. */
function closing(masked: string, at: number, open: string, close: string): number {
  let depth = 0;
  for (let index = at; index < masked.length; index++) {
    if (masked[index] === open) depth++;
    else if (masked[index] === close && --depth === 0) return index;
  }
  return masked.length;
}

function endOfValue(masked: string, at: number): number {
  let depth = 0;
  for (let index = at; index < masked.length; index++) {
    const character = masked[index] ?? "";
    if ("({[".includes(character)) depth++;
    else if (")}]".includes(character)) depth--;
    else if (character === ";" && depth <= 0) return index;
  }
  return masked.length;
}

function dedented(text: string): string {
  return text.replace(/\n[ \t]+\*/g, "\n *").replace(/\n[ \t]+(?=[^\s*])/g, "\n");
}

/** Continues from the previous offset, since offsets mostly increase. */
function lineCounter(text: string): (offset: number) => number {
  let [known, line] = [0, 1];
  return (offset) => {
    if (offset < known) [known, line] = [0, 1];
    for (let at = text.indexOf("\n", known); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
    known = offset;
    return line;
  };
}
