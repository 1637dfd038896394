import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { foldersUp, isThere } from "../../node/folders.js";
import { parse, TomlError } from "smol-toml";
import { matchesStars } from "../../star-pattern.js";
import { asObject, stringOf, textOf, objectsOf, stringsOf } from "../../rpc/json.js";
import type { CargoText } from "../unusable-cargo.js";
import { loadUntrustedText } from "../../node/read-untrusted-file.js";

type Table = Readonly<Record<string, unknown>>;

interface LockedPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly source: string | undefined;
  readonly needs: readonly string[];
}

interface Manifest {
  readonly path: string;
  readonly text: string;
  readonly table: Table;
}

const mostMembers = 2_000;
const publicRegistry = "registry+https://github.com/rust-lang/crates.io-index";

/**
 * Emulates `cargo metadata` for the workspace around `cwd` from `Cargo.toml`, `Cargo.lock` and the user's unpacked crates. Starts no
 * program, since cargo runs programs from the project's configuration. If a package's sources are missing, its `manifest_path` doesn't
 * exist.
 */
export async function metadataFromFiles(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<CargoText> {
  const root = await workspaceRoot(cwd);
  if (!root) return failed(`could not find \`Cargo.toml\` in \`${cwd}\` or any parent directory`);
  const members = await membersOf(root);
  const folder = dirname(root.path);
  const lockFile = join(folder, "Cargo.lock");
  const isShort = args.includes("--no-deps");
  const text = isShort ? "" : await loadUntrustedText(lockFile).catch(() => undefined);
  if (text === undefined) return failed(`the lock file ${lockFile} is missing, and --locked was passed`);
  const locked = isShort ? [] : lockedPackages(text, lockFile);
  if (typeof locked === "string") return failed(locked);
  const own = await Promise.all(members.map((member) => toMember(member, root, locked)));
  const isOwn = new Set(own.map(({ id }) => id));
  const sources = await unpackedFolders(env);
  const others = await Promise.all(locked.filter(({ id }) => !isOwn.has(id)).map((one) => toPackage(one, sources)));
  const names = new Map(own.map(({ id, dependencies }) => [id, dependencies]));
  const nodes = locked.map((one) => {
    const deps = one.needs.flatMap((need) => edgeTo(need, locked, names.get(one.id) ?? []));
    return { id: one.id, dependencies: deps.map(({ pkg }) => pkg), deps };
  });
  const packages = [...own, ...others];
  const metadata = { packages, workspace_members: [...isOwn], workspace_root: folder, resolve: { nodes } };
  return { kind: "exited", exitCode: 0, stdout: JSON.stringify(metadata), stderr: "" };
}

function failed(message: string): CargoText {
  return { kind: "exited", exitCode: 101, stdout: "", stderr: `error: ${message}\n` };
}

async function workspaceRoot(cwd: string): Promise<Manifest | undefined> {
  let nearest: Manifest | undefined;
  for (const folder of foldersUp(cwd)) {
    const manifest = await readManifest(join(folder, "Cargo.toml"));
    if (manifest?.table["workspace"] !== undefined) return manifest;
    nearest ??= manifest;
  }
  return nearest;
}

async function readManifest(path: string): Promise<Manifest | undefined> {
  const text = await loadUntrustedText(path).catch(() => undefined);
  const table = text === undefined ? undefined : tomlTable(text);
  return text === undefined || typeof table !== "object" ? undefined : { path, text, table };
}

async function membersOf(root: Manifest): Promise<readonly Manifest[]> {
  const patterns = stringsOf(asObject(root.table["workspace"])?.["members"]);
  const folders = await Promise.all(patterns.map((pattern) => foldersOf(dirname(root.path), pattern.split("/"))));
  const found = new Map<string, Manifest>();
  const waiting = [root.path, ...folders.flat().map((folder) => join(folder, "Cargo.toml"))];
  for (let path = waiting.pop(); path !== undefined && found.size < mostMembers; path = waiting.pop()) {
    const manifest = found.has(path) ? undefined : await readManifest(path);
    if (!manifest) continue;
    found.set(path, manifest);
    const needed = dependenciesIn(manifest.table, asObject(root.table["workspace"]) ?? {});
    for (const { path: folder, isShared } of needed) {
      const from = dirname(isShared ? root.path : path);
      if (folder !== undefined) waiting.push(join(resolve(from, folder), "Cargo.toml"));
    }
  }
  return [...found.values()].filter(({ table }) => table["package"] !== undefined);
}

async function foldersOf(folder: string, [first, ...rest]: readonly string[]): Promise<readonly string[]> {
  if (first === undefined) return [folder];
  if (!first.includes("*")) return foldersOf(join(folder, first), rest);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const fitting = entries.filter((entry) => entry.isDirectory() && matchesStars(first, entry.name));
  return (await Promise.all(fitting.map(({ name }) => foldersOf(join(folder, name), rest)))).flat();
}

async function toMember(manifest: Manifest, root: Manifest, locked: readonly LockedPackage[]) {
  const described = asObject(manifest.table["package"]) ?? {};
  const inherited = asObject(asObject(root.table["workspace"])?.["package"]) ?? {};
  const name = textOf(described["name"]);
  const own = asObject(described["version"]) ? inherited["version"] : described["version"];
  const version = typeof own === "string" ? own : "0.0.0";
  const known = locked.find((one) => one.name === name && one.version === version && one.source === undefined);
  return {
    ...(await factsOf(manifest.path, manifest.text)),
    id: known?.id ?? `${name} ${version}`,
    name,
    version,
    source: null,
    dependencies: dependenciesIn(manifest.table, asObject(root.table["workspace"]) ?? {}),
  };
}

async function toPackage({ id, name, version, source }: LockedPackage, sources: readonly string[]) {
  const folders = source === undefined ? [] : sources.map((folder) => join(folder, `${name}-${version}`));
  const found = await Promise.all(folders.map(async (folder) => ((await isThere(folder)) ? folder : undefined)));
  const folder = found.find((one) => one !== undefined) ?? join(sources[0] ?? "", `${name}-${version}`);
  const path = join(folder, "Cargo.toml");
  const text = await loadUntrustedText(path).catch(() => "");
  return { ...(await factsOf(path, text)), id, name, version, source: source ?? null, dependencies: [] };
}

async function factsOf(path: string, text: string) {
  const table = text.includes("symposium") ? tomlTable(text) : undefined;
  const [, given] = /^\[lib\]\n(?:[^[\n].*\n|\n)*?path = "([^"\n]*)"/m.exec(text) ?? [];
  const library = join(dirname(path), given ?? "src/lib.rs");
  const program = join(dirname(path), "src/main.rs");
  return {
    manifest_path: path,
    metadata: asObject(asObject(table)?.["package"])?.["metadata"] ?? null,
    targets: [
      ...((await isThere(library)) ? [{ kind: ["lib"], src_path: library }] : []),
      ...((await isThere(program)) ? [{ kind: ["bin"], src_path: program }] : []),
    ],
  };
}

function dependenciesIn(manifest: Table, workspace: Table) {
  const targets = Object.values(asObject(manifest["target"]) ?? {}).map((one) => asObject(one) ?? {});
  const kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
  const tables = [manifest, ...targets].flatMap((table) => kinds.map((kind) => asObject(table[kind]) ?? {}));
  const shared = asObject(workspace["dependencies"]) ?? {};
  return tables.flatMap((table) =>
    Object.entries(table).map(([key, value]) => {
      const isShared = asObject(value)?.["workspace"] === true;
      const own = isShared ? shared[key] : value;
      const details = asObject(own) ?? { version: own };
      const { package: name, version, path, git, registry, "registry-index": index } = details;
      const isElsewhere = [git, registry, index].some((one) => typeof one === "string");
      return {
        name: textOf(name ?? key),
        rename: name === undefined ? null : key,
        isShared,
        path: stringOf(path),
        req: textOf(version ?? "*"),
        source: path !== undefined ? null : isElsewhere ? `git+${textOf(git ?? registry ?? index)}` : publicRegistry,
      };
    }),
  );
}

function lockedPackages(text: string, file: string): readonly LockedPackage[] | string {
  const value = tomlTable(text);
  if (typeof value === "number") return `failed to parse lock file at: ${file}, line ${value}`;
  return objectsOf(value["package"]).flatMap(({ name, version, source, dependencies }) => {
    if (typeof name !== "string" || typeof version !== "string") return [];
    const from = stringOf(source);
    const needs = stringsOf(dependencies);
    return [
      { id: [name, version, ...(from === undefined ? [] : [from])].join(" "), name, version, source: from, needs },
    ];
  });
}

/** `names` maps dependencies to the names used in the dependent package. */
function edgeTo(
  need: string,
  locked: readonly LockedPackage[],
  names: readonly { readonly name: string; readonly rename: string | null }[],
) {
  const [name, version, source] = need.split(" ");
  const target = locked.find(
    (one) =>
      one.name === name &&
      (version === undefined || one.version === version) &&
      (source === undefined || source === `(${one.source ?? ""})`),
  );
  const called = names.find((one) => one.name === name)?.rename ?? name ?? "";
  return target ? [{ name: called.replaceAll("-", "_"), pkg: target.id }] : [];
}

async function unpackedFolders(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const home = env["CARGO_HOME"] ?? join(env["HOME"] ?? env["USERPROFILE"] ?? homedir(), ".cargo");
  const parent = join(home, "registry", "src");
  return (await readdir(parent).catch(() => [])).sort().map((name) => join(parent, name));
}

/** Parses TOML. Returns the number of the line with the error if the text isn't valid. */
function tomlTable(text: string): Table | number {
  try {
    return parse(text.replace(/^\uFEFF/, " "));
  } catch (failure) {
    return failure instanceof TomlError ? failure.line : 1;
  }
}
