/** Go import path: segments of letters, digits and some punctuation, without `.` and `..`. */
const importForm = /^[\w~][\w.~+-]*(?:\/[\w~][\w.~+-]*)*$/;

/** Whether a text is a valid module or package path. */
export function isImportPath(text: string): boolean {
  return text.length <= 300 && importForm.test(text) && text.split("/").every((part) => !part.endsWith("."));
}

interface Required {
  readonly path: string;
  readonly version: string;
  readonly isIndirect: boolean;
}

export interface Replaced {
  readonly path: string;
  /** Version that is replaced; absent for all versions. */
  readonly version?: string;
  /** Module path, or a folder if `toVersion` is absent. */
  readonly to: string;
  readonly toVersion?: string;
}

export interface GoMod {
  /** Path of the main module; empty for a go.work. */
  readonly module: string;
  readonly go: string | undefined;
  readonly toolchain: string | undefined;
  readonly requires: readonly Required[];
  readonly replaces: readonly Replaced[];
  readonly uses: readonly string[];
}

/** Version format; validated because versions become path segments in the module cache. */
const versionForm = /^\w[\w.+~-]*$/;

/** Parses go.mod and go.work. Ignores unknown directives, as `go` does for dependencies. */
export function parseGoMod(text: string): GoMod {
  const requires: Required[] = [];
  const replaces: Replaced[] = [];
  const uses: string[] = [];
  const single = new Map<string, string>();
  let block: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const { words, comment } = wordsOf(line);
    const [first] = words;
    if (first === undefined) continue;
    if (block !== undefined && first === ")") {
      block = undefined;
      continue;
    }
    if (block === undefined && words[1] === "(") {
      block = first;
      continue;
    }
    const verb = block ?? first;
    const rest = block === undefined ? words.slice(1) : words;
    const [one = "", two, three, four, five] = rest;
    if (verb === "require" && two !== undefined && versionForm.test(two) && isImportPath(one)) {
      requires.push({ path: one, version: two, isIndirect: /^\/\/\s*indirect\b/.test(comment) });
    } else if (verb === "replace" && two === "=>" && three !== undefined) {
      if (isTarget(three, four))
        replaces.push({ path: one, to: three, ...(four !== undefined && { toVersion: four }) });
    } else if (verb === "replace" && three === "=>" && four !== undefined && two !== undefined) {
      if (isTarget(four, five))
        replaces.push({ path: one, version: two, to: four, ...(five !== undefined && { toVersion: five }) });
    } else if (verb === "use" && one !== "") {
      uses.push(one);
    } else if (one !== "" && !single.has(verb)) {
      single.set(verb, one);
    }
  }
  const module = single.get("module") ?? "";
  return { module, go: single.get("go"), toolchain: single.get("toolchain"), requires, replaces, uses };
}

function isTarget(to: string, version: string | undefined): boolean {
  return version === undefined || (isImportPath(to) && versionForm.test(version));
}

interface VendoredModule {
  readonly path: string;
  readonly version: string;
  /** Text after `=>`, which describes the replacement. */
  readonly replacement?: string;
  readonly packages: readonly string[];
}

export function parseVendored(text: string): readonly VendoredModule[] {
  const modules: (VendoredModule & { readonly packages: string[] })[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, head] = /^# (.+)$/.exec(line) ?? [];
    if (head !== undefined) {
      const [left = "", replacement] = head.split(" => ", 2);
      const [path = "", version = ""] = left.split(" ");
      modules.push({ path, version, packages: [], ...(replacement !== undefined && { replacement }) });
    } else if (line !== "" && !line.startsWith("#")) {
      modules.at(-1)?.packages.push(line);
    }
  }
  // The file repeats all replacements at its end, without packages.
  return modules.filter(({ path, version, packages }) => isImportPath(path) && version !== "" && packages.length > 0);
}

function wordsOf(line: string): { readonly words: readonly string[]; readonly comment: string } {
  const words: string[] = [];
  const token = /\s*(?:(\/\/.*)|"((?:\\.|[^"\\])*)"|`([^`]*)`|([()])|((?:(?!\/\/)[^\s()"`])+))/y;
  for (let found = token.exec(line); found; found = token.exec(line)) {
    const [, comment, quoted, raw, bracket, plain] = found;
    if (comment !== undefined) return { words, comment };
    words.push(quoted?.replace(/\\(.)/g, "$1") ?? raw ?? bracket ?? plain ?? "");
  }
  return { words, comment: "" };
}
