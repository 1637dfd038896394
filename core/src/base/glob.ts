type Test = (character: string) => boolean;

interface Token {
  readonly kind: "character" | "stars" | "open" | "comma" | "close";
  readonly text: string;
  readonly test: Test;
}

/**
 * Glob for `/`-separated paths. `*` and `?` match within a name, and `**` matches any folders. `[a-z]` and `[!a]` match one character,
 * and `{a,b}` matches alternatives. A backslash escapes the next character. `a/**` also matches `a` itself. Patterns may be untrusted, so
 * matching takes at most pattern length times path length steps.
 */
export class Glob {
  /** Transition of each state that consumes a character, if any. */
  readonly #steps: ({ readonly test: Test; readonly to: number } | undefined)[] = [undefined];
  /** Transitions of each state that consume no character. */
  readonly #free: number[][] = [[]];
  readonly #ignoresCase: boolean;
  #end = 0;

  constructor(pattern: string, { ignoreCase = false }: { readonly ignoreCase?: boolean } = {}) {
    this.#ignoresCase = ignoreCase;
    this.#build(withGroups(tokensOf(ignoreCase ? pattern.toLowerCase() : pattern)));
  }

  matches(path: string): boolean {
    const seen = new Int32Array(this.#steps.length).fill(-1);
    let now = this.#reached([0], seen, 0);
    let round = 0;
    for (const character of this.#ignoresCase ? path.toLowerCase() : path) {
      const next: number[] = [];
      for (const state of now) {
        const step = this.#steps[state];
        if (step?.test(character) === true) next.push(step.to);
      }
      if (next.length === 0) return false;
      now = this.#reached(next, seen, ++round);
    }
    return seen[this.#end] === round;
  }

  #reached(states: number[], seen: Int32Array, round: number): readonly number[] {
    const all: number[] = [];
    for (let state = states.pop(); state !== undefined; state = states.pop()) {
      if (seen[state] === round) continue;
      seen[state] = round;
      all.push(state);
      for (const next of this.#free[state] ?? []) states.push(next);
    }
    return all;
  }

  #build(tokens: readonly Token[]): void {
    const groups: { readonly start: number; readonly ends: number[] }[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const { kind, text, test } = tokens[at] ?? end;
      const group = groups.at(-1);
      if (kind === "open") {
        groups.push({ start: this.#end, ends: [] });
        this.#end = this.#after(this.#end);
      } else if (kind === "comma" && group) {
        group.ends.push(this.#end);
        this.#end = this.#after(group.start);
      } else if (kind === "close" && group) {
        this.#end = this.#after(this.#end, ...group.ends);
        groups.pop();
      } else if (kind === "stars") {
        if (text.length === 1 || !isBorder(tokens[at - 1], "open")) this.#repeat(inName);
        else if (tokens[at + 1]?.text === "/") {
          this.#optional(() => {
            this.#repeat(anything);
            this.#take(isSlash);
          });
          at++;
        } else this.#repeat(anything);
      } else if (text === "/" && anyBelow(tokens, at) > 0) {
        this.#optional(() => {
          this.#take(isSlash);
          this.#repeat(anything);
        });
        at += anyBelow(tokens, at) - 1;
      } else this.#take(test);
    }
  }

  #after(...states: readonly number[]): number {
    const added = this.#steps.push(undefined) - 1;
    this.#free.push([]);
    for (const state of states) this.#free[state]?.push(added);
    return added;
  }

  #take(test: Test): void {
    const to = this.#after();
    this.#steps[this.#end] = { test, to };
    this.#end = to;
  }

  #repeat(test: Test): void {
    const loop = this.#after(this.#end);
    this.#steps[loop] = { test, to: loop };
    this.#end = this.#after(loop);
  }

  #optional(build: () => void): void {
    const start = this.#end;
    build();
    this.#end = this.#after(start, this.#end);
  }
}

const anything: Test = () => true;
const inName: Test = (character) => character !== "/";
const isSlash: Test = (character) => character === "/";
const end: Token = { kind: "character", text: "", test: () => false };

/** Whether the token is a boundary of a path segment. */
function isBorder(token: Token | undefined, brace: "open" | "close"): boolean {
  return token === undefined || token.text === "/" || token.kind === "comma" || token.kind === brace;
}

/**
 * Returns the length, in tokens, of a trailing sequence of `/**` at `at` after a segment that isn't only stars; 0 if other tokens follow.
 */
function anyBelow(tokens: readonly Token[], at: number): number {
  if (tokens[at - 1]?.kind === "stars") return 0;
  let count = 0;
  while (tokens[at + count]?.text === "/" && tokens[at + count + 1]?.text === "**") count += 2;
  return isBorder(tokens[at + count], "close") && tokens[at + count]?.text !== "/" ? count : 0;
}

function tokensOf(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  const characters = Array.from(pattern);
  const plain = (text: string): Token => ({ kind: "character", text, test: (one) => one === text });
  // Search for the last bracket only once, since a search per bracket would take quadratic time for unclosed brackets.
  const lastBracket = characters.lastIndexOf("]");
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "*") {
      const from = at;
      while (characters[at + 1] === "*") at++;
      tokens.push({ kind: "stars", text: "*".repeat(Math.min(at - from + 1, 2)), test: inName });
    } else if (character === "?") tokens.push({ kind: "character", text: "?", test: inName });
    else if (character === "[" && at < lastBracket) {
      const { test, last } = classAt(characters, at);
      tokens.push({ kind: "character", text: "[", test });
      at = last;
    } else if (character === "\\" && at + 1 < characters.length)
      tokens.push({ ...plain(characters[++at] ?? ""), text: "\\" });
    else if (character === "{") tokens.push({ ...plain(character), kind: "open" });
    else if (character === ",") tokens.push({ ...plain(character), kind: "comma" });
    else if (character === "}") tokens.push({ ...plain(character), kind: "close" });
    else tokens.push(plain(character));
  }
  return tokens;
}

function classAt(characters: readonly string[], open: number): { readonly test: Test; readonly last: number } {
  const isNegated = ["!", "^"].includes(characters[open + 1] ?? "");
  const first = open + (isNegated ? 2 : 1);
  const [singles, ranges] = [new Set<string>(), [] as (readonly [from: string, to: string])[]];
  let at = first;
  for (; at < characters.length && (characters[at] !== "]" || at === first); at++) {
    if (characters[at] === "\\") at++;
    const [from = "", to] = [characters[at], characters[at + 2]];
    if (characters[at + 1] === "-" && to !== undefined && to !== "]") {
      ranges.push([from, to]);
      at += 2;
    } else singles.add(from);
  }
  const isOne: Test = (one) => singles.has(one) || ranges.some(([from, to]) => from <= one && one <= to);
  return { test: (one) => one !== "/" && isOne(one) !== isNegated, last: at };
}

/** Converts unpaired braces, braces without a comma, and commas outside braces to literal characters. */
function withGroups(tokens: readonly Token[]): readonly Token[] {
  const open: { readonly at: number; readonly commas: number[] }[] = [];
  const kept = new Set<number>();
  for (const [at, { kind }] of tokens.entries()) {
    if (kind === "open") open.push({ at, commas: [] });
    else if (kind === "comma") open.at(-1)?.commas.push(at);
    else if (kind === "close") {
      const group = open.pop();
      if (group && group.commas.length > 0) for (const one of [group.at, ...group.commas, at]) kept.add(one);
    }
  }
  return tokens.map((token, at) =>
    token.kind === "character" || token.kind === "stars" || kept.has(at) ? token : { ...token, kind: "character" },
  );
}
