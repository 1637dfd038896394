import { maskedScript } from "../../text/masked-script.js";
import { bodyOf, type Statement, statementsIn } from "./statements.js";

export interface FromModule {
  readonly from: string;
  /** Exported name in the other module; `*` for the whole module. */
  readonly name: string;
}

/** Declarations and exports of a module, or of a block that acts as one. */
export interface ModuleFacts {
  readonly text: string;
  readonly masked: string;
  /** Declarations by local name. A name with overloads or merged declarations has several. */
  readonly declared: ReadonlyMap<string, readonly Statement[]>;
  readonly imported: ReadonlyMap<string, FromModule>;
  /** Exports by exported name: a local name, or a name in another module. */
  readonly exported: ReadonlyMap<string, string | FromModule>;
  /** Modules that are re-exported completely. */
  readonly stars: readonly string[];
  /** Name that the module exports with `export =`. */
  readonly exportEquals: string | undefined;
  /** Start and end offsets of each `declare module "name"` block. */
  readonly ambient: ReadonlyMap<string, readonly { readonly from: number; readonly to: number }[]>;
  /** Files that belong to it by `/// <reference path>`. */
  readonly references: readonly string[];
}

const declarationForm =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const\s+(?=enum\b))?(?<kind>class|interface|namespace|module|enum|function\s*\*?|type|const|let|var)\s+(?<name>[\w$.]+)/;

/** Parses a module, or the part between two offsets. */
export function readModule(text: string, masked = maskedScript(text), from = 0, to = masked.length): ModuleFacts {
  const reader = new ModuleReader(text, masked);
  for (const statement of statementsIn(masked, from, to)) reader.read(statement);
  const references =
    from > 0 ? [] : [...text.slice(0, 20_000).matchAll(/^\/\/\/\s*<reference\s+path=["']([^"']+)["']/gm)];
  return reader.facts(references.map(([, path = ""]) => path));
}

/** Whether the file has imports or exports; otherwise all its declarations are global. */
export function isModule({ exported, stars, exportEquals, imported }: ModuleFacts): boolean {
  return exported.size > 0 || stars.length > 0 || exportEquals !== undefined || imported.size > 0;
}

class ModuleReader {
  readonly #declared = new Map<string, Statement[]>();
  readonly #imported = new Map<string, FromModule>();
  readonly #exported = new Map<string, string | FromModule>();
  readonly #stars: string[] = [];
  readonly #ambient = new Map<string, { from: number; to: number }[]>();
  #exportEquals: string | undefined;

  constructor(
    private readonly text: string,
    private readonly masked: string,
  ) {}

  facts(references: readonly string[]): ModuleFacts {
    return {
      text: this.text,
      masked: this.masked,
      declared: this.#declared,
      imported: this.#imported,
      exported: this.#exported,
      stars: this.#stars,
      exportEquals: this.#exportEquals,
      ambient: this.#ambient,
      references,
    };
  }

  read(statement: Statement): void {
    // Use the original text, since the masked text doesn't contain the module names.
    const source = this.text.slice(statement.start, statement.end);
    const head = this.masked.slice(statement.start, statement.end);
    const from = /\bfrom\s*["']([^"']+)["'][^"']*$/.exec(source)?.[1];
    const ambient = /^declare\s+module\s+["']([^"']+)["']/.exec(source)?.[1];
    if (ambient !== undefined) {
      const body = bodyOf(this.masked, statement);
      if (body) this.#ambient.set(ambient, [...(this.#ambient.get(ambient) ?? []), body]);
      return;
    }
    const declaration = declarationForm.exec(head)?.groups;
    if (declaration) return this.#declare(statement, head, declaration["name"] ?? "");
    if (/^import\b/.test(head)) return this.#import(source, from);
    if (/^export\b/.test(head)) return this.#export(statement, source, from);
  }

  #declare(statement: Statement, head: string, name: string): void {
    const plain = name.split(".")[0] ?? name;
    this.#add(plain, statement);
    const isDefault = /^export\s+default\b/.test(head);
    if (/^export\b/.test(head)) this.#exported.set(isDefault ? "default" : plain, plain);
    // A statement such as `const a: A, b: B` declares several names.
    if (!/^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\b/.test(head)) return;
    let [depth, at] = [0, 0];
    for (const { 1: other = "", index } of head.matchAll(/,\s*([\w$]+)\s*:/g)) {
      depth = depthAt(head, index, depth, at);
      at = index;
      if (depth === 0) {
        this.#add(other, statement);
        if (/^export\b/.test(head)) this.#exported.set(other, other);
      }
    }
  }

  #add(name: string, statement: Statement): void {
    const known = this.#declared.get(name);
    if (known) known.push(statement);
    else this.#declared.set(name, [statement]);
  }

  #import(source: string, from: string | undefined): void {
    const required = /^import\s+(?:type\s+)?([\w$]+)\s*=\s*require\(\s*["']([^"']+)["']/.exec(source);
    if (required) this.#imported.set(required[1] ?? "", { from: required[2] ?? "", name: "*" });
    if (from === undefined) return;
    const words = source.slice("import".length, source.lastIndexOf("from")).replace(/^\s*type\s+(?!from)/, " ");
    const whole = /\*\s*as\s+([\w$]+)/.exec(words)?.[1];
    if (whole !== undefined) this.#imported.set(whole, { from, name: "*" });
    const plain = /^\s*([\w$]+)/.exec(words)?.[1];
    if (plain !== undefined) this.#imported.set(plain, { from, name: "default" });
    for (const [name, local] of namesIn(words)) this.#imported.set(local, { from, name });
  }

  #export(statement: Statement, source: string, from: string | undefined): void {
    const equals = /^export\s*=\s*([\w$.]+)/.exec(source)?.[1];
    if (equals !== undefined) this.#exportEquals = equals;
    const whole = /^export\s+(?:type\s+)?\*\s*(?:as\s+([\w$]+|"[^"]+"))?/.exec(source);
    if (whole && from !== undefined) {
      if (whole[1] === undefined) this.#stars.push(from);
      else this.#exported.set(whole[1], { from, name: "*" });
      return;
    }
    const named = /^export\s+(?:type\s+)?(\{[^}]*\})/.exec(source)?.[1];
    if (named !== undefined) {
      for (const [name, outer] of namesIn(named)) {
        this.#exported.set(outer, from === undefined ? name : { from, name });
      }
      return;
    }
    const alias = /^export\s+import\s+([\w$]+)\s*=\s*([\w$.]+)/.exec(source);
    if (alias) this.#exported.set(alias[1] ?? "", alias[2] ?? "");
    const main = /^export\s+default\s+([\w$.]+)/.exec(source)?.[1];
    if (main !== undefined) {
      this.#exported.set("default", main);
      if (!/^[\w$.]+\s*;?\s*$/.test(source.replace(/^export\s+default\s+/, ""))) this.#add("default", statement);
    }
  }
}

/** Returns the local and exported names in `{a, type b as c}`. */
function* namesIn(words: string): Generator<readonly [string, string]> {
  const inside = /\{([^}]*)\}/.exec(words)?.[1]?.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "") ?? "";
  for (const part of inside.split(",")) {
    const found = /^\s*(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part);
    if (found?.[1] !== undefined) yield [found[1], found[2] ?? found[1]];
  }
}

/** Returns the bracket depth at `at`, given the depth at `from`. Doesn't count the `>` of `=>` as a closing bracket. */
function depthAt(text: string, at: number, known: number, from: number): number {
  let depth = known;
  for (let place = from; place < at; place++) {
    const character = text[place] ?? "";
    if (/[{([<]/.test(character)) depth++;
    else if (/[})\]]/.test(character)) depth--;
    else if (character === ">" && text[place - 1] !== "=") depth = Math.max(depth - 1, 0);
  }
  return depth;
}
