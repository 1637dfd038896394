import { stat } from "node:fs/promises";
import { dirname, join, parse as parsePath, relative, resolve } from "node:path";
import { foldersUp, isInside } from "../../../base/node/folders.js";
import { parse } from "jsonc-parser";
import { readManifestText } from "../../../base/node/project-folders.js";
import { asObject, parsedObject, objectsOf, stringsOf } from "../../../base/rpc/json.js";
import type { TypescriptProject } from "../test-runner.js";

const maxProjects = 60;
const maxBases = 8;

/** The parts of a tsconfig.json that Symposium needs, including inherited values. */
interface Config {
  readonly path: string;
  readonly folder: string;
  readonly hasFiles: boolean;
  /** Whether the configuration has `files` or `include`. */
  readonly hasLists: boolean;
  readonly references: readonly string[];
  /** Returns the value of an option, and the folder of the file that sets the option. */
  readonly option: (name: string) => { readonly value: unknown; readonly folder: string } | undefined;
}

/**
 * Returns the projects that the configuration in `folder` references, dependencies first; undefined if it has no references. The
 * configuration of each is changed so that the compiler checks it without writing output.
 */
export async function typescriptProjects(folder: string): Promise<readonly TypescriptProject[] | undefined> {
  const found = new Map<string, Config>();
  const visit = async (path: string): Promise<void> => {
    if (found.has(path) || found.size >= maxProjects) return;
    const config = await readConfig(path);
    found.set(path, config);
    for (const one of config.references) await visit(one);
    // Moves the project after its references.
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
    // Set the type folders explicitly, since the compiler would otherwise search for them from the temporary file's folder.
    ...(option("typeRoots") === undefined && {
      typeRoots: foldersUp(config.folder).map((at) => join(at, typesFolder)),
    }),
    paths: { ...pathsOf(config), ...Object.fromEntries((await Promise.all(needed.map(sourcesOf))).flat()) },
  };
  const given = { extends: path, references: [], compilerOptions: options };
  // Without a list of files, the temporary configuration would include the files in its own folder.
  const include = config.hasLists ? {} : { include: [join(config.folder, "**", "*")], exclude: outputsOf(config) };
  const text = JSON.stringify({ ...given, ...include });
  const others = needed.map((one) => one.folder).filter((one) => !isInside(config.folder, one));
  const leavesOut = [...new Set(others.map((one) => relative(folder, one).replaceAll("\\", "/")))];
  return { folder: config.folder, words: ["-p", "{file}"], file: { name: "tsconfig.json", text }, leavesOut };
}

/** Returns the folders that the compiler excludes by default. */
function outputsOf({ folder, option }: Config): readonly string[] {
  const written = ["outDir", "declarationDir"].flatMap((name) => {
    const found = option(name);
    return found === undefined ? [] : [placeOf(found, folder)];
  });
  const installed = ["node_modules", "bower_components", "jspm_packages"].map((name) => join(folder, "**", name));
  return [...installed, ...written.filter((one) => one !== folder)];
}

const typesFolder = join("node_modules", "@types");

/** Returns all projects that a project references directly or indirectly. */
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

/** Returns path mappings from a project's package name to its sources, since the files that its package.json names may not be built. */
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

/** Returns a project's path mappings with absolute paths. */
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
    // Later entries of `extends` take precedence.
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

/** Returns the file of a reference, which names either a file or a folder with a tsconfig.json. */
async function configAt(path: string): Promise<string> {
  if ((await stat(path).catch(() => undefined))?.isDirectory() === true) return join(path, "tsconfig.json");
  return withEnding(path);
}

function withEnding(path: string): string {
  return path.endsWith(".json") ? path : `${path}.json`;
}
