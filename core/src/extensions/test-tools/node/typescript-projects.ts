import { stat } from "node:fs/promises";
import { dirname, join, parse as parsePath, relative, resolve } from "node:path";
import { foldersUp, isInside } from "../../../base/node/folders.js";
import { parse } from "jsonc-parser";
import { readManifestText } from "../../../base/node/project-folders.js";
import { asObject, parsedObject, objectsOf, stringsOf } from "../../../base/rpc/json.js";
import type { TypescriptProject } from "../test-runner.js";

const maxProjects = 60;
const maxBases = 8;

/** A tsconfig.json with what it inherits, as far as we need it. */
interface Config {
  readonly path: string;
  readonly folder: string;
  readonly hasFiles: boolean;
  /** Whether it says which files are its own. */
  readonly hasLists: boolean;
  readonly references: readonly string[];
  /** The option and the folder of the file that sets it. */
  readonly option: (name: string) => { readonly value: unknown; readonly folder: string } | undefined;
}

/**
 * The projects of TypeScript that the configuration in `folder` leads to, those that others refer to first, each in a form that
 * is checked without writing: a compiler that may not write leaves whoever refers to others unchecked. Undefined where it refers
 * to none.
 */
export async function typescriptProjects(folder: string): Promise<readonly TypescriptProject[] | undefined> {
  const found = new Map<string, Config>();
  const visit = async (path: string): Promise<void> => {
    if (found.has(path) || found.size >= maxProjects) return;
    const config = await readConfig(path);
    found.set(path, config);
    for (const one of config.references) await visit(one);
    // Behind those that it refers to.
    found.delete(path);
    found.set(path, config);
  };
  await visit(join(folder, "tsconfig.json"));
  const all = [...found.values()];
  if (all.length < 2) return undefined;
  const own = all.filter(({ hasFiles }) => hasFiles);
  return Promise.all(own.map((config) => toProject(config, found, folder)));
}

async function toProject(config: Config, all: ReadonlyMap<string, Config>, folder: string): Promise<TypescriptProject> {
  const { path, option } = config;
  const isComposite = option("composite")?.value === true;
  const inherits = { composite: false, incremental: false, noEmit: true, ...(isComposite && { declaration: true }) };
  if (config.references.length === 0) {
    const words = Object.entries(inherits).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return { folder: config.folder, words: ["-p", path, ...words], leavesOut: [] };
  }
  const needed = referred(config, all);
  const options = {
    ...inherits,
    tsBuildInfoFile: null,
    rootDir: parsePath(config.folder).root,
    // These are looked for from the file's folder, which is another one.
    ...(option("typeRoots") === undefined && {
      typeRoots: foldersUp(config.folder).map((at) => join(at, typesFolder)),
    }),
    paths: { ...pathsOf(config), ...Object.fromEntries((await Promise.all(needed.map(sourcesOf))).flat()) },
  };
  const given = { extends: path, references: [], compilerOptions: options };
  // All files in its folder would be those of the other one.
  const include = config.hasLists ? {} : { include: [join(config.folder, "**", "*")], exclude: outputsOf(config) };
  const text = JSON.stringify({ ...given, ...include });
  const others = needed.map((one) => one.folder).filter((one) => !isInside(config.folder, one));
  const leavesOut = [...new Set(others.map((one) => relative(folder, one).replaceAll("\\", "/")))];
  return { folder: config.folder, words: ["-p", "{file}"], file: { name: "tsconfig.json", text }, leavesOut };
}

/** What compilers leave out where nothing is said. */
function outputsOf({ folder, option }: Config): readonly string[] {
  const written = ["outDir", "declarationDir"].flatMap((name) => {
    const found = option(name);
    return found === undefined ? [] : [placeOf(found, folder)];
  });
  const installed = ["node_modules", "bower_components", "jspm_packages"].map((name) => join(folder, "**", name));
  return [...installed, ...written.filter((one) => one !== folder)];
}

const typesFolder = join("node_modules", "@types");

/** All that a project refers to, and what those refer to. */
function referred(config: Config, all: ReadonlyMap<string, Config>): readonly Config[] {
  const found = new Set<Config>();
  const visit = (one: Config): void => {
    for (const path of one.references) {
      const next = all.get(path);
      if (next === undefined || found.has(next) || next === config) continue;
      found.add(next);
      visit(next);
    }
  };
  visit(config);
  return [...found];
}

/** How the package of a project is imported, as its sources: what it publishes may not be built. */
async function sourcesOf({ folder, option }: Config): Promise<readonly (readonly [string, readonly string[]])[]> {
  const manifest = parsedObject((await readManifestText(join(folder, "package.json"))) ?? "");
  const name = manifest?.["name"];
  if (manifest === undefined || typeof name !== "string") return [];
  const [written, sources] = [placeOf(option("outDir"), folder), placeOf(option("rootDir"), folder)];
  const main = mainOf(manifest);
  const built = main === undefined ? undefined : resolve(folder, main);
  if (built === undefined || !isInside(built, written)) return [];
  const plain = join(sources, relative(written, built).replace(/(?:\.d)?\.([cm]?)[jt]sx?$/, ""));
  for (const ending of [".ts", ".tsx", ".mts", ".cts"]) {
    if ((await stat(plain + ending).catch(() => undefined))?.isFile() === true) {
      return [
        [name, [plain + ending]],
        [`${name}/*`, [join(sources, "*"), join(folder, "*")]],
      ];
    }
  }
  return [];
}

function mainOf(manifest: Readonly<Record<string, unknown>>): string | undefined {
  const exported = asObject(manifest["exports"]);
  const root = exported?.["."] ?? manifest["exports"];
  const conditions = asObject(root);
  const candidates = [conditions?.["types"], manifest["types"], manifest["typings"], conditions?.["import"]];
  return [...candidates, conditions?.["default"], root, manifest["main"]].find((one) => typeof one === "string");
}

/** The paths that a project maps imports to, as absolute ones. */
function pathsOf({ option }: Config): Readonly<Record<string, readonly string[]>> {
  const paths = option("paths");
  if (paths === undefined) return {};
  const base = option("baseUrl");
  const from = base && typeof base.value === "string" ? resolve(base.folder, base.value) : paths.folder;
  return Object.fromEntries(
    Object.entries(asObject(paths.value) ?? {}).map(([name, places]) => [
      name,
      stringsOf(places).map((one) => resolve(from, one.replaceAll("${configDir}", "."))),
    ]),
  );
}

function placeOf(found: { readonly value: unknown; readonly folder: string } | undefined, otherwise: string): string {
  return found && typeof found.value === "string" ? resolve(found.folder, found.value) : otherwise;
}

async function readConfig(path: string): Promise<Config> {
  const chain: { readonly folder: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  const read = async (file: string): Promise<void> => {
    if (chain.length >= maxBases) return;
    const fields = asObject(parse((await readManifestText(file)) ?? "", [], { allowTrailingComma: true })) ?? {};
    chain.push({ folder: dirname(file), fields });
    const bases = [fields["extends"]].flat().filter((one) => typeof one === "string");
    // Of several, the last one counts.
    for (const base of bases.reverse())
      if (/^\.|^\/|^\w:/.test(base)) await read(withEnding(resolve(dirname(file), base)));
  };
  await read(path);
  const [own] = chain;
  const has = (name: string): boolean => chain.some(({ fields }) => name in fields);
  const { files, references } = own?.fields ?? {};
  return {
    path,
    folder: dirname(path),
    hasFiles: !(Array.isArray(files) && files.length === 0 && !has("include")),
    hasLists: has("files") || has("include"),
    references: await Promise.all(
      objectsOf(references).flatMap(({ path: to }) =>
        typeof to === "string" ? [configAt(resolve(dirname(path), to))] : [],
      ),
    ),
    option: (name) => {
      for (const { folder, fields } of chain) {
        const value = asObject(fields["compilerOptions"])?.[name];
        if (value !== undefined) return { value, folder };
      }
      return undefined;
    },
  };
}

/** A reference names a file, or a folder with a tsconfig.json. */
async function configAt(path: string): Promise<string> {
  if ((await stat(path).catch(() => undefined))?.isDirectory() === true) return join(path, "tsconfig.json");
  return withEnding(path);
}

function withEnding(path: string): string {
  return path.endsWith(".json") ? path : `${path}.json`;
}
