import { type Offset, ProgramFault } from "./program-limits.js";

/** A line of a program. Values of lines without a name are shown. */
export interface Line {
  readonly name?: string;
  readonly value: Expression;
}

type BinarySign = "==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "+" | "-" | "and" | "or";

export type Expression = { readonly at: Offset } & (
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "record"; readonly fields: readonly (readonly [name: string, value: Expression])[] }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: "member"; readonly of: Expression; readonly name: string }
  | { readonly kind: "not" | "minus"; readonly of: Expression }
  | { readonly kind: "binary"; readonly sign: BinarySign; readonly left: Expression; readonly right: Expression }
);

const maxLength = 20_000;
/** Maximum nesting, which limits the parser's stack. */
const maxDepth = 60;

const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
const comparisons: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">=", "~"]);

/** Parses a program. Throws a {@link ProgramFault} at the first error. */
export function parseProgram(program: string): readonly Line[] {
  if (program.length > maxLength) {
    throw new ProgramFault(
      0,
      `the program has ${program.length} characters; ${maxLength} is the limit.`,
      "Ask in parts.",
    );
  }
  return new Parser(tokensOf(program)).lines();
}

class Parser {
  #index = 0;
  #depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  lines(): readonly Line[] {
    const lines: Line[] = [];
    for (;;) {
      while (this.#token.kind === "end-of-line") this.#index++;
      if (this.#token.kind === "end") break;
      lines.push(this.#line());
      const after = this.#token;
      if (after.kind !== "end-of-line" && after.kind !== "end") throw unexpected(after, "the end of the line, or `|`");
    }
    if (lines.length > 0) return lines;
    throw new ProgramFault(0, "the program is empty.", 'Run the program "help" for the language.');
  }

  get #token(): Token {
    return this.tokens[this.#index] ?? { kind: "end", text: "", at: 0 };
  }

  #line(): Line {
    const { kind, text } = this.#token;
    const next = this.tokens[this.#index + 1];
    if (kind !== "name" || next?.kind !== "sign" || next.text !== "=") return { value: this.#pipe() };
    this.#index += 2;
    return { name: text, value: this.#pipe() };
  }

  /** `a | f(b)` means `f(a, b)`. */
  #pipe(): Expression {
    if (++this.#depth > maxDepth)
      throw new ProgramFault(this.#token.at, "too deeply nested.", "Name parts with `name = …`.");
    let value = this.#or();
    while (this.#takes("|")) {
      const stage = this.#token;
      if (stage.kind !== "name") throw unexpected(stage, "the name of a function after `|`");
      this.#index++;
      const args = this.#isSign("(") ? this.#args() : [];
      value = { kind: "call", name: stage.text, args: [value, ...args], at: stage.at };
    }
    this.#depth--;
    return value;
  }

  #or(): Expression {
    return this.#leftAssociative(
      () => this.#and(),
      (token) => token.kind === "name" && token.text === "or",
    );
  }

  #and(): Expression {
    return this.#leftAssociative(
      () => this.#not(),
      (token) => token.kind === "name" && token.text === "and",
    );
  }

  #not(): Expression {
    const { kind, text, at } = this.#token;
    if (kind !== "name" || text !== "not") return this.#comparison();
    return this.#nested(() => {
      this.#index++;
      return { kind: "not", of: this.#not(), at };
    });
  }

  #comparison(): Expression {
    const left = this.#sum();
    const { kind, text, at } = this.#token;
    if (kind === "sign" && text === "=") throw new ProgramFault(at, "`=` compares nothing.", "Write `==`.");
    if (kind !== "sign" || !comparisons.has(text)) return left;
    this.#index++;
    return { kind: "binary", sign: text as BinarySign, left, right: this.#sum(), at };
  }

  #sum(): Expression {
    const isSum = (token: Token): boolean => token.kind === "sign" && (token.text === "+" || token.text === "-");
    return this.#leftAssociative(() => this.#unary(), isSum);
  }

  #unary(): Expression {
    const { at } = this.#token;
    if (!this.#isSign("-")) return this.#member();
    return this.#nested(() => {
      this.#index++;
      return { kind: "minus", of: this.#unary(), at };
    });
  }

  #member(): Expression {
    let value = this.#primary();
    while (this.#takes(".")) {
      const { kind, text, at } = this.#token;
      if (kind !== "name") throw unexpected(this.#token, "the name of a field after `.`");
      this.#index++;
      value = { kind: "member", of: value, name: text, at };
    }
    return value;
  }

  #primary(): Expression {
    const token = this.#token;
    const { kind, text, at } = token;
    this.#index++;
    if (kind === "string") return { kind: "literal", value: text, at };
    if (kind === "number") return { kind: "literal", value: Number(text), at };
    if (kind === "name") return this.#named(token);
    if (kind === "sign" && text === "(") {
      const value = this.#pipe();
      this.#expect(")");
      return value;
    }
    if (kind === "sign" && text === "[") return { kind: "list", items: this.#until("]", () => this.#pipe()), at };
    if (kind === "sign" && text === "{") return { kind: "record", fields: this.#until("}", () => this.#field()), at };
    throw unexpected(token, "a value");
  }

  #named({ text, at }: Token): Expression {
    const constant = Object.hasOwn(constants, text) ? constants[text] : undefined;
    if (constant !== undefined) return { kind: "literal", value: constant, at };
    if (this.#isSign("(")) return { kind: "call", name: text, args: this.#args(), at };
    return { kind: "name", name: text, at };
  }

  #args(): readonly Expression[] {
    this.#expect("(");
    return this.#until(")", () => this.#pipe());
  }

  /** `name` alone means `name: name`. */
  #field(): readonly [string, Expression] {
    const { kind, text, at } = this.#token;
    if (kind !== "name" && kind !== "string") throw unexpected(this.#token, "the name of a field");
    this.#index++;
    return [text, this.#takes(":") ? this.#pipe() : { kind: "name", name: text, at }];
  }

  #until<T>(close: string, read: () => T): readonly T[] {
    const items: T[] = [];
    while (!this.#takes(close)) {
      items.push(read());
      if (!this.#isSign(close)) this.#expect(",");
    }
    return items;
  }

  #leftAssociative(operand: () => Expression, isOperator: (token: Token) => boolean): Expression {
    let left = operand();
    while (isOperator(this.#token)) {
      const { text, at } = this.#token;
      this.#index++;
      left = { kind: "binary", sign: text as BinarySign, left, right: operand(), at };
    }
    return left;
  }

  #nested(read: () => Expression): Expression {
    if (++this.#depth > maxDepth)
      throw new ProgramFault(this.#token.at, "too deeply nested.", "Name parts with `name = …`.");
    const value = read();
    this.#depth--;
    return value;
  }

  #isSign(text: string): boolean {
    return this.#token.kind === "sign" && this.#token.text === text;
  }

  #takes(text: string): boolean {
    const isThere = this.#isSign(text);
    if (isThere) this.#index++;
    return isThere;
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw unexpected(this.#token, `\`${text}\``);
  }
}

function unexpected({ kind, text, at }: Token, expected: string): ProgramFault {
  const found =
    kind === "end" ? "the program ends" : kind === "end-of-line" ? "the line ends" : `found ${JSON.stringify(text)}`;
  return new ProgramFault(at, `${found}, expected ${expected}.`, 'Run the program "help" for the language.');
}

interface Token {
  readonly kind: "name" | "string" | "number" | "sign" | "end-of-line" | "end";
  /** A string's value without quotes; otherwise the source text. */
  readonly text: string;
  readonly at: Offset;
}

const pattern =
  /(?<space>[ \t\r]+|(?:#|\/\/)[^\n]*)|(?<line>[\n;])|(?<name>[\p{ID_Start}_][\p{ID_Continue}]*)|(?<number>\d+(?:\.\d+)?)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<sign>==|!=|<=|>=|[|(){}[\],:.=<>~+-])/uy;

/** Tokenizes a program. A line continues inside brackets, or if it ends or the next one starts with `|`. */
function tokensOf(program: string): readonly Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  const add = (kind: Token["kind"], text: string, at: Offset): void => void tokens.push({ kind, text, at });
  const matcher = new RegExp(pattern);
  for (let at = 0; at < program.length; at = matcher.lastIndex) {
    matcher.lastIndex = at;
    const groups = matcher.exec(program)?.groups;
    if (!groups) throw unreadable(program, at);
    const { space, line, name, number, string, sign } = groups;
    if (space !== undefined) continue;
    if (line !== undefined) {
      if (depth === 0) add("end-of-line", line, at);
    } else if (name !== undefined) add("name", name, at);
    else if (number !== undefined) add("number", number, at);
    else if (string !== undefined) add("string", unquoted(string), at);
    else if (sign !== undefined) {
      if ("([{".includes(sign)) depth++;
      else if (")]}".includes(sign)) depth = Math.max(0, depth - 1);
      add("sign", sign, at);
    }
  }
  add("end", "", program.length);
  return withoutInnerLineEnds(tokens);
}

function unreadable(program: string, at: Offset): ProgramFault {
  const character = String.fromCodePoint(program.codePointAt(at) ?? 0);
  if (character === '"' || character === "'") {
    return new ProgramFault(at, "the text is not closed.", `Close it with ${character} on the same line.`);
  }
  return new ProgramFault(
    at,
    `${JSON.stringify(character)} isn't valid here.`,
    'Run the program "help" for the language.',
  );
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gs, (_, character: string) => {
    if (character === "n") return "\n";
    return character === "t" ? "\t" : character;
  });
}

function withoutInnerLineEnds(tokens: readonly Token[]): readonly Token[] {
  const isPipe = (token: Token | undefined): boolean => token?.kind === "sign" && token.text === "|";
  const kept: Token[] = [];
  for (const token of tokens) {
    if (isPipe(token)) while (kept.at(-1)?.kind === "end-of-line") kept.pop();
    if (token.kind !== "end-of-line" || !isPipe(kept.at(-1))) kept.push(token);
  }
  return kept;
}
