import type { SourceFolder } from "../services.js";
import { maskSource } from "./masked-source.js";
import { closingEnd, type RustFile, type RustItem, scanItems } from "./rust-item.js";

/** A module: a range of a file, and the folder with the files of its child modules. */
export interface RustModule {
  readonly file: RustFile;
  readonly from: number;
  readonly to: number;
  /** Path relative to the crate's folder, without a trailing slash. */
  readonly childFolder: string;
  readonly parent: RustModule | undefined;
  /** Names from the crate root, excluding the root itself. */
  readonly path: readonly string[];
}

type MacroBody = Pick<RustModule, "file" | "from" | "to">;

/** Loads and caches the files and modules of one crate. */
export class CrateModules {
  readonly #files = new Map<string, Promise<RustFile | undefined>>();
  readonly #macros = new Map<string, Promise<MacroBody | undefined>>();
  readonly #items = new Map<string, readonly RustItem[]>();

  constructor(
    private readonly folder: SourceFolder,
    private readonly rootFile: string,
  ) {}

  /** Returns undefined if the root file can't be read. */
  async root(): Promise<RustModule | undefined> {
    const file = await this.file(this.rootFile);
    return file && wholeFile(file, folderOf(this.rootFile), undefined, []);
  }

  /** Returns the paths of all Rust files below the root file's folder. */
  async files(): Promise<readonly string[]> {
    const prefix = folderOf(this.rootFile);
    const paths = await this.folder.paths();
    return paths.filter((path) => path.endsWith(".rs") && (prefix === "" || path.startsWith(`${prefix}/`)));
  }

  file(path: string): Promise<RustFile | undefined> {
    let file = this.#files.get(path);
    if (file === undefined) {
      file = this.folder
        .read(path)
        .then((text) => (text === undefined ? undefined : { path, text, masked: maskSource(text) }));
      this.#files.set(path, file);
    }
    return file;
  }

  /** Returns a module's items, including those in macro calls and `cfg_if!` branches. */
  items(module: RustModule): readonly RustItem[] {
    const key = `${module.file.path} ${module.from} ${module.to}`;
    let items = this.#items.get(key);
    if (items === undefined) {
      items = scanItems(module.file.masked, module.from, module.to);
      this.#items.set(key, items);
    }
    return items;
  }

  /**
   * Returns the module and the bodies of the crate's macros that it calls without arguments, since their items belong to the module. Such a
   * macro has an arm `() => {…}`.
   */
  async parts(module: RustModule): Promise<readonly RustModule[]> {
    const parts = [module];
    for (const call of this.items(module).filter((item) => item.kind === "call")) {
      const body = await this.#macroBody(call.name, module.file);
      if (body) parts.push({ ...module, ...body });
    }
    return parts;
  }

  /** Prefers a macro in the same file. */
  async #macroBody(name: string, file: RustFile): Promise<MacroBody | undefined> {
    const own = macroBodyIn(file, name);
    if (own) return own;
    let body = this.#macros.get(name);
    if (body === undefined) {
      body = this.#findMacro(name);
      this.#macros.set(name, body);
    }
    return body;
  }

  async #findMacro(name: string): Promise<MacroBody | undefined> {
    for (const path of await this.files()) {
      const file = await this.file(path);
      const body = file && macroBodyIn(file, name);
      if (body) return body;
    }
    return undefined;
  }

  /** Returns the module that a `mod` item of `parent` declares; undefined if its file is missing. */
  async child(parent: RustModule, item: RustItem): Promise<RustModule | undefined> {
    const path = [...parent.path, item.name];
    const folder = join(parent.childFolder, item.name);
    if (item.body) {
      return { file: parent.file, from: item.body.start, to: item.body.end, childFolder: folder, parent, path };
    }
    const attributes = parent.file.text.slice(item.lead, item.head);
    const spelled = /#\[path\s*=\s*"([^"]+)"\]/.exec(attributes)?.[1];
    if (spelled !== undefined) {
      const target = join(folderOf(parent.file.path), spelled);
      const file = target.startsWith("..") ? undefined : await this.file(target);
      return file && wholeFile(file, folderOf(target), parent, path);
    }
    for (const candidate of [`${folder}.rs`, `${folder}/mod.rs`]) {
      const file = await this.file(candidate);
      if (file) return wholeFile(file, folder, parent, path);
    }
    return undefined;
  }
}

/** Returns the body of `macro_rules! name { () => {…} }`. */
function macroBodyIn(file: RustFile, name: string): MacroBody | undefined {
  const arm = new RegExp(String.raw`\bmacro_rules\s*!\s*${name}\s*\{\s*\(\s*\)\s*=>\s*(?=\{)`);
  const match = arm.exec(file.masked);
  if (!match) return undefined;
  const open = match.index + match[0].length;
  return { file, from: open + 1, to: closingEnd(file.masked, open, file.masked.length) - 1 };
}

function wholeFile(
  file: RustFile,
  childFolder: string,
  parent: RustModule | undefined,
  path: readonly string[],
): RustModule {
  return { file, from: 0, to: file.masked.length, childFolder, parent, path };
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** Joins paths and resolves `.` and `..`. */
function join(folder: string, name: string): string {
  const parts: string[] = [];
  for (const part of [...folder.split("/"), ...name.split("/")]) {
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
