import { parsedValue, stringOf } from "../../base/rpc/json.js";
import type { JsonPath } from "../../base/problem.js";

export const positionKey = (path: JsonPath): string => JSON.stringify(path);

/** Maps each {@link positionKey} to the offset of its key, table or list item. The text must be valid TOML. */
export function tomlPositions(text: string): ReadonlyMap<string, number> {
  return new Scanner(text).scan();
}

const bareKey = /[^\s.=[\]{},#"']+/y;
const space = /[ \t]*/y;
const spaceAndLines = /(?:\s|#[^\n]*)*/y;
const scalar = /[^,\]}#\n]*/y;
const texts = [/"""[^]*?(?:(?<!\\)(?:\\\\)*"""+)/y, /'''[^]*?'''+/y, /"(?:\\.|[^"\\\n])*"/y, /'[^'\n]*'/y];

class Scanner {
  readonly #positions = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #offset = 0;

  constructor(private readonly text: string) {}

  scan(): ReadonlyMap<string, number> {
    let table: JsonPath = [];
    for (this.#skip(spaceAndLines); this.#offset < this.text.length; this.#skip(spaceAndLines)) {
      const start = this.#offset;
      if (this.#takes("[")) table = this.#header(start);
      else this.#keyAndValue(table);
      // Guarantees progress on text that isn't valid TOML.
      if (this.#offset === start) this.#offset++;
    }
    return this.#positions;
  }

  #header(start: number): JsonPath {
    const isList = this.#takes("[");
    const keys = this.#key();
    this.#skip(space);
    if (this.#takes("]") && isList) this.#takes("]");
    let path: JsonPath = [];
    for (const [index, key] of keys.entries()) {
      path = [...path, key];
      this.#record(path, start);
      const name = positionKey(path);
      if (isList && index === keys.length - 1) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      const count = this.#counts.get(name);
      if (count === undefined) continue;
      path = [...path, count - 1];
      this.#record(path, start);
    }
    return path;
  }

  #keyAndValue(table: JsonPath): void {
    const start = this.#offset;
    let path = table;
    for (const key of this.#key()) {
      path = [...path, key];
      this.#record(path, start);
    }
    this.#skip(space);
    if (!this.#takes("=")) return;
    this.#skip(space);
    this.#value(path);
  }

  #key(): string[] {
    const parts: string[] = [];
    do {
      this.#skip(space);
      const start = this.#offset;
      if (!texts.some((pattern) => this.#skip(pattern))) this.#skip(bareKey);
      parts.push(nameOf(this.text.slice(start, this.#offset)));
      this.#skip(space);
    } while (this.#takes("."));
    return parts;
  }

  #value(path: JsonPath): void {
    if (this.#takes("[")) {
      this.#members("]", (index) => {
        this.#record([...path, index], this.#offset);
        this.#value([...path, index]);
      });
    } else if (this.#takes("{")) this.#members("}", () => this.#keyAndValue(path));
    else if (!texts.some((pattern) => this.#skip(pattern))) this.#skip(scalar);
  }

  #members(end: string, read: (index: number) => void): void {
    for (let index = 0; this.#offset < this.text.length; index++) {
      this.#skip(spaceAndLines);
      if (this.#takes(end)) return;
      const start = this.#offset;
      read(index);
      this.#skip(spaceAndLines);
      this.#takes(",");
      if (this.#offset === start) return;
    }
  }

  #record(path: JsonPath, offset: number): void {
    const key = positionKey(path);
    if (!this.#positions.has(key)) this.#positions.set(key, offset);
  }

  #takes(character: string): boolean {
    if (this.text[this.#offset] !== character) return false;
    this.#offset++;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#offset;
    const found = pattern.exec(this.text);
    if (found) this.#offset += found[0].length;
    return found !== null;
  }
}

/** Decodes a TOML key. Leaves TOML-only escapes undecoded; the only effect is that a problem may lack its exact line. */
function nameOf(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1);
  return written.startsWith('"') ? (stringOf(parsedValue(written)) ?? written) : written;
}
