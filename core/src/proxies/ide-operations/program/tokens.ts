import { type Offset, ProgramFault } from "./program-error.js";

export interface Token {
  readonly kind: "name" | "string" | "number" | "sign" | "end-of-line" | "end";
  /** The value of a string without its quotes; else the text. */
  readonly text: string;
  readonly at: Offset;
}

const pattern =
  /(?<space>[ \t\r]+|(?:#|\/\/)[^\n]*)|(?<line>[\n;])|(?<name>[\p{ID_Start}_][\p{ID_Continue}]*)|(?<number>\d+(?:\.\d+)?)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<sign>==|!=|<=|>=|[|(){}[\],:.=<>~+-])/uy;

/** The words of a program. Brackets may go over several lines, and so may a line that ends or begins with `|`. */
export function tokensOf(program: string): readonly Token[] {
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
    return new ProgramFault(at, "the text is not closed.", `Close it with ${character} in the same line.`);
  }
  return new ProgramFault(
    at,
    `${JSON.stringify(character)} means nothing here.`,
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
  const next = (index: number): Token | undefined => tokens.slice(index).find(({ kind }) => kind !== "end-of-line");
  return tokens.filter(
    (token, index) =>
      token.kind !== "end-of-line" || !(isPipe(next(index)) || isPipe(tokens.slice(0, index).findLast(isNoLineEnd))),
  );
}

function isNoLineEnd({ kind }: Token): boolean {
  return kind !== "end-of-line";
}
