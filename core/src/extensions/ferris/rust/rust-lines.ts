import { type Declaring, DeclaringLines } from "../../packages/text/declaring-lines.js";
import { parseUse, type UseLeaf } from "./use-declaration.js";

const visibility = String.raw`^\s*(?:\w+!\s*\{\s*)?(?:pub(?:\s*\([^)]*\))?\s+)?`;
const kinds = String.raw`fn|struct|enum|union|trait|mod|const|static|type|macro_rules!|macro|extern\s+crate`;
const modifiers = String.raw`(?:(?:default|const|async|unsafe|safe|auto|extern)\s+)*`;
const itemForm = (name: string): string =>
  String.raw`${visibility}${modifiers}(?:${kinds})\s+(?:mut\s+|ref\s+)?(?:r#)?(${name})(?!\w)`;

/** How Rust declares names. */
export const rust: Declaring = {
  marks: [
    { open: "//", close: "\n" },
    { open: "/*", close: "*/" },
    ...["##", "#", ""].map((hashes) => ({ open: `r${hashes}"`, close: `"${hashes}` })),
    // Characters that would open or close a bracket or string.
    ...["{", "}", "(", ")", "[", "]", '"', String.raw`\"`, String.raw`\'`].map((character) => ({
      open: `'${character}'`,
      close: "",
    })),
    { open: '"', close: '"', hasEscapes: true },
  ],
  top: (name) => new RegExp(itemForm(name), "u"),
  member: (name) => new RegExp(String.raw`${itemForm(name)}|${visibility}(?:r#)?(${name})\s*(?:[({,=]|:(?!:)|$)`, "u"),
  type: /\b(?:struct|enum|union|trait|impl)\b/,
  above: /^\s*(?:\/\/|\/\*\*|#\[)/,
  hidden: /^$/,
};

/** Lines around items that aren't modules: macro calls and definitions, and branches such as those of `cfg_if!`. */
const transparent = /^\s*(?:[\w:$]+\s*!|(?:\}\s*)?(?:else\b|if\b)|\(\s*\)\s*=>|(?:unsafe\s+)?extern\s*\{)/;

/** A name that a `use` declaration in a module imports. */
export interface RustUse extends UseLeaf {
  /** Names of the enclosing modules in the same file. */
  readonly scope: readonly string[];
  readonly isPublic: boolean;
}

/** A Rust file. */
export class RustLines extends DeclaringLines {
  #uses: readonly RustUse[] | undefined;
  /** The modules of a block, by the line that starts it. */
  readonly #scopes = new Map<number, readonly string[] | undefined>();

  /** `module` is the path of the file's module in the crate. */
  constructor(
    path: string,
    readonly text: string,
    readonly module: readonly string[],
  ) {
    super(path, text, rust);
  }

  /** Returns the names of the modules in this file around a line; undefined if the line is inside of another item. */
  scopeOf(at: number): readonly string[] | undefined {
    let scope: readonly string[] | undefined = [];
    for (const start of this.enclosing(at).toReversed()) {
      if (!this.#scopes.has(start)) this.#scopes.set(start, this.#scopeIn(start, scope));
      scope = this.#scopes.get(start);
    }
    return scope;
  }

  /** Returns the scope inside of a block that is itself in the scope `outer`. */
  #scopeIn(start: number, outer: readonly string[] | undefined): readonly string[] | undefined {
    const line = this.maskedFrom(start);
    const name = /^\s*(?:pub(?:\s*\([^)]*\))?\s+)?mod\s+(\w+)/.exec(line)?.[1];
    if (name === undefined) return transparent.test(line) ? outer : undefined;
    return outer && [...outer, name];
  }

  get uses(): readonly RustUse[] {
    this.#uses ??= this.matching(/^\s*(?:pub(?:\s*\([^)]*\))?\s+)?(use)\b/).flatMap(({ at }) => {
      const declaration = /^[^;]*;?/.exec(this.maskedFrom(at, 200))?.[0] ?? "";
      const scope = this.scopeOf(at);
      const isPublic = /^\s*pub\s+use/.test(declaration);
      return scope ? parseUse(declaration).map((leaf) => ({ ...leaf, scope, isPublic })) : [];
    });
    return this.#uses;
  }

  /** Includes members inside of macro calls. */
  override members(of: number, name: string): readonly number[] {
    const isMember = (at: number): boolean =>
      this.enclosing(at).find((line) => !transparent.test(this.maskedFrom(line))) === of;
    const direct = super.members(of, name);
    return direct.length > 0 ? direct : this.declaringLines(name).filter(isMember);
  }

  isPublic(at: number): boolean {
    return /^\s*pub\s/.test(this.maskedFrom(at));
  }

  /** Returns the item's keyword, such as `fn`; `variant` or `field` if it has none. */
  kindOf(at: number): string {
    const kind = new RegExp(String.raw`${visibility}${modifiers}(${kinds})\s`).exec(`${this.maskedFrom(at)} `)?.[1];
    if (kind !== undefined) return kind.replace(/^macro_rules!$/, "macro");
    const around = this.around(at);
    return around !== undefined && /\benum\s/.test(this.maskedFrom(around)) ? "variant" : "field";
  }
}
