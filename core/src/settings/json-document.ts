import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { keyOf, type JsonPath, type LocatedProblem, type Problem } from "../base/problem.js";
import { tokens } from "./json-insertion.js";

/** Maximum nesting depth. The depth is limited because all functions that read the tree are recursive. */
const maxDepth = 100;

const syntaxMessages: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  InvalidSymbol: ["This isn't valid JSON.", "Put text in double quotes."],
  InvalidNumberFormat: ["This number is incomplete."],
  PropertyNameExpected: ["Expected a key in double quotes."],
  ValueExpected: ["Expected a value."],
  ColonExpected: ["A colon is missing before this."],
  CommaExpected: ["A comma is missing before this."],
  CloseBraceExpected: ["A closing } is missing before this."],
  CloseBracketExpected: ["A closing ] is missing before this."],
  EndOfFileExpected: ["There is text after the end of the value.", "Remove it."],
  UnexpectedEndOfComment: ["This comment is never closed.", "Add */ after it."],
  UnexpectedEndOfString: ["This text is never closed.", "Add a double quote after it."],
  UnexpectedEndOfNumber: ["This number is incomplete."],
  InvalidUnicode: ["\\u must be followed by four hexadecimal digits."],
  InvalidEscapeCharacter: [
    "This backslash doesn't start a valid escape.",
    "Write every backslash twice, as in C:\\\\tools.",
  ],
  InvalidCharacter: ["This text contains a control character.", "Write it as an escape, such as \\t."],
};

/** JSON text that allows comments and trailing commas, with positions. An empty text, or one with only comments, has no root. */
export class JsonDocument {
  private constructor(
    /** The text with a space in place of a byte order mark, so that offsets don't change. */
    readonly text: string,
    readonly root: Node | undefined,
    /** Undefined if the text is empty or invalid. */
    readonly value: unknown,
    /** Syntax errors, and duplicate keys as warnings. */
    readonly problems: readonly LocatedProblem[],
  ) {}

  /** Parses the text; never throws. */
  static parse(given: string): JsonDocument {
    const text = given.startsWith("\uFEFF") ? ` ${given.slice(1)}` : given;
    const tooDeep = offsetTooDeep(text);
    if (tooDeep !== -1) {
      return JsonDocument.#broken(text, tooDeep, [`JSON can be nested at most ${maxDepth} levels deep.`]);
    }
    const errors: ParseError[] = [];
    const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
    if (root === undefined && isEmpty(text, errors)) return new JsonDocument(text, undefined, undefined, []);
    const [first] = errors;
    if (first) {
      const name = printParseErrorCode(first.error);
      return JsonDocument.#broken(text, first.offset, syntaxMessages[name] ?? [`This isn't valid JSON (${name}).`]);
    }
    const problems: LocatedProblem[] = [];
    const value = root && valueOf(root, [], (path, key) => problems.push(duplicate(text, path, key)));
    return new JsonDocument(text, root, value, problems);
  }

  static #broken(
    text: string,
    offset: number,
    [message, hint]: readonly [message: string, hint?: string],
  ): JsonDocument {
    const problem = { severity: "error", path: [], message, ...positionOf(text, offset) } as const;
    return new JsonDocument(text, undefined, undefined, [hint === undefined ? problem : { ...problem, hint }]);
  }

  get isBroken(): boolean {
    return this.problems.some(({ severity }) => severity === "error");
  }

  /** Adds the position of the problem's key, or of the nearest enclosing object. */
  locate(problem: Problem): LocatedProblem {
    let node = this.root;
    for (const part of problem.path) {
      const next = node && childOf(node, part);
      if (next === undefined) break;
      node = next;
    }
    const shown = node?.parent?.type === "property" ? node.parent : node;
    return { ...problem, ...positionOf(this.text, shown?.offset ?? 0) };
  }

  nodeAt(path: JsonPath): Node | undefined {
    return path.reduce<Node | undefined>((node, part) => node && childOf(node, part), this.root);
  }
}

/** Returns a child of a node. Of duplicate keys, the last one applies, as usual in JSON. */
export function childOf(node: Node, part: string | number): Node | undefined {
  if (typeof part === "number") return node.type === "array" ? node.children?.[part] : undefined;
  if (node.type !== "object") return undefined;
  return node.children?.findLast((property) => property.children?.[0]?.value === part)?.children?.[1];
}

function valueOf(node: Node, path: JsonPath, onDuplicate: (path: JsonPath, key: Node) => void): unknown {
  const children = node.children ?? [];
  if (node.type === "array") return children.map((child, index) => valueOf(child, [...path, index], onDuplicate));
  if (node.type !== "object") return node.value;
  const members = new Map<string, unknown>();
  for (const { children: [key, value] = [] } of children) {
    if (!key || !value) continue;
    const name = String(key.value);
    if (members.has(name)) onDuplicate([...path, name], key);
    members.set(name, valueOf(value, [...path, name], onDuplicate));
  }
  return Object.fromEntries(members);
}

function duplicate(text: string, path: JsonPath, key: Node): LocatedProblem {
  const message = `"${keyOf(path)}" appears twice; the last one is used.`;
  return { severity: "warning", path, message, hint: "Remove one of them.", ...positionOf(text, key.offset) };
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

function offsetTooDeep(text: string): number {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token: number = scanner.scan(); token !== tokens.end; token = scanner.scan()) {
    if (token === tokens.openBrace || token === tokens.openBracket) depth++;
    else if (token === tokens.closeBrace || token === tokens.closeBracket) depth--;
    if (depth > maxDepth) return scanner.getTokenOffset();
  }
  return -1;
}

function isEmpty(text: string, errors: readonly ParseError[]): boolean {
  const token: number = createScanner(text, true).scan();
  return token === tokens.end && errors.every(({ error }) => printParseErrorCode(error) === "ValueExpected");
}
