import { parse, TomlError } from "smol-toml";
import { messageOf } from "../../base/symposium-error.js";
import { asObject } from "../../base/rpc/json.js";
import type { JsonPath, LocatedProblem, Problem } from "../../base/problem.js";
import { positionKey, tomlPositions } from "./toml-positions.js";

/** Maximum nesting depth; the code that processes the value is recursive. */
const maxDepth = 50;

/** Parsed TOML text with the positions of its keys. */
export class TomlDocument {
  #positions: ReadonlyMap<string, number> | undefined;

  private constructor(
    readonly text: string,
    /** Parsed value; undefined if the text isn't valid TOML. */
    readonly value: Readonly<Record<string, unknown>> | undefined,
    readonly problem: LocatedProblem | undefined,
  ) {}

  /** Parses TOML text and never throws. Empty text gives an empty table. */
  static parse(given: string): TomlDocument {
    const text = given.startsWith("\uFEFF") ? ` ${given.slice(1)}` : given;
    try {
      const value = asObject(parse(text, { maxDepth })) ?? {};
      if (depthOf(value) <= maxDepth) return new TomlDocument(text, value, undefined);
      return TomlDocument.#broken(text, `Nesting may be at most ${maxDepth} levels deep.`, 1, 1);
    } catch (failure) {
      const [first = ""] = messageOf(failure).split("\n", 1);
      const reason = first.replace(/^Invalid TOML document: /, "");
      const { line, column } = failure instanceof TomlError ? failure : { line: 1, column: 1 };
      return TomlDocument.#broken(text, `This isn't valid TOML: ${reason}.`, line, column);
    }
  }

  locate(problem: Problem): LocatedProblem {
    return { ...problem, ...this.#positionOf(problem.path) };
  }

  static #broken(text: string, message: string, line: number, column: number): TomlDocument {
    return new TomlDocument(text, undefined, { severity: "error", path: [], message, line, column });
  }

  #positionOf(path: JsonPath): { readonly line: number; readonly column: number } {
    this.#positions ??= tomlPositions(this.text);
    for (let length = path.length; length > 0; length--) {
      const offset = this.#positions.get(positionKey(path.slice(0, length)));
      if (offset === undefined) continue;
      const lines = this.text.slice(0, offset).split("\n");
      return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    }
    return { line: 1, column: 1 };
  }
}

/** Returns the nesting depth, up to the limit. Iterative, because dotted keys in a long file can nest deeper than the stack allows. */
function depthOf(value: unknown): number {
  let level = [value];
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap(membersOf);
    if (level.length === 0) return depth;
  }
  return maxDepth + 1;
}

function membersOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values(asObject(value) ?? {});
}
