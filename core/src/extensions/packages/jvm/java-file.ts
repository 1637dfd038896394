import { type Marks, maskedText } from "../text/masked-text.js";

/** Something that a file of Java declares. */
export interface JavaDeclaration {
  readonly kind: "type" | "method" | "field";
  readonly name: string;
  /** The types that it is in, the outermost first. */
  readonly owners: readonly string[];
  /** Its declaration without body and documentation, in one line. */
  readonly signature: string;
  /** With its documentation, as it stands in the file. */
  readonly text: string;
  /** From 1; of the declaration, not of its documentation. */
  readonly line: number;
  /** Not private; in an interface all that says nothing else. */
  readonly isVisible: boolean;
}

interface OpenType {
  readonly name: string;
  readonly isInterface: boolean;
  /** Until its first semicolon, the body of an enum has constants. */
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
/** The search for a name at an end takes the square of it. */
const maxName = 300;
const maxText = 6_000;
/** Types in types: nobody writes so many. */
const maxDepth = 20;

/** Reads what a file of Java declares, by its braces: bodies of methods are passed over. Takes one pass, whatever the text. */
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
      // A value may have braces of its own, and even types.
      const end = endOfValue(masked, at);
      addMember(masked.slice(begin, at), add, at);
      at = end;
      begin = end + 1;
    } else if (character === "{" && inside?.hasConstants === true) {
      // The body of a constant.
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
  // `static { }` and what stands alone declare nothing.
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

/** Where what opens at `at` is closed; the end where it is not. */
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

/** Counts on from where it was: offsets mostly grow. */
function lineCounter(text: string): (offset: number) => number {
  let [known, line] = [0, 1];
  return (offset) => {
    if (offset < known) [known, line] = [0, 1];
    for (let at = text.indexOf("\n", known); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
    known = offset;
    return line;
  };
}
