import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isInside, realPlace } from "../../../base/node/folders.js";
import { metadataFromFiles } from "../../../base/cargo/node/metadata-from-files.js";
import { installedPackage } from "../../../base/node/project-folders.js";
import { plainText } from "../../registry/registry-entry.js";
import { asObject, parsedObject, stringOf, objectsOf } from "../../../base/rpc/json.js";
import type { PackageSkills, SkillOrigin } from "../package-skills.js";
import type { UsedPackage } from "../used-packages.js";
import { inspectSkills } from "./inspect-skills.js";
import { installedDistributions, skillFoldersOf } from "./python-distributions.js";
import { usedPackages } from "./workspace-manifests.js";

interface FindOptions {
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  /** Keys of the packages to inspect; other packages' files aren't read. All packages if absent. */
  readonly wanted?: ReadonlySet<string>;
}

interface Candidate {
  readonly key: string;
  readonly title: string;
  readonly packageFolder: string;
  readonly folder: string;
}

const originNames: Readonly<Record<SkillOrigin, string>> = {
  crate: "the crate",
  npm: "the npm package",
  python: "the Python package",
  go: "the Go module",
};

/**
 * Finds skills of the crates, npm and Python packages and Go modules that the workspace directly requires, in the package managers' local
 * folders. Excludes the workspace's own packages. Only reads files; never rejects.
 */
export async function findPackageSkills(options: FindOptions): Promise<readonly PackageSkills[]> {
  const { workspace, env, wanted } = options;
  const isWanted = (key: string): boolean => wanted === undefined || wanted.has(key);
  const root = await realpath(workspace).catch(() => workspace);
  const ofCrates = wanted === undefined || [...wanted].some((key) => key.startsWith("crate:"));
  const used = (await usedPackages(workspace)).filter(({ kind, name }) => isWanted(`${kind}:${name}`));
  const candidates = await Promise.all([
    ofCrates ? crates(workspace, env) : [],
    npmPackages(workspace, used),
    pythonPackages(workspace, env, used),
    Promise.resolve(goModules(env, used)),
  ]);
  const found = await Promise.all(
    candidates
      .flat()
      .filter(({ key }) => isWanted(key))
      .map(async ({ key, title, packageFolder, folder }) => {
        const real = await realPlace(packageFolder);
        if (real === undefined || isOwn(real, root)) return [];
        const inspected = await inspectSkills(real, join(real, relative(packageFolder, folder)));
        return inspected ? [{ key, title, ...inspected }] : [];
      }),
  );
  // Two manifests may require the same package.
  const byFolder = new Map(found.flat().map((one) => [one.folder, one]));
  return [...byFolder.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Whether the folder belongs to the workspace itself instead of to an installed package in it. */
function isOwn(folder: string, root: string): boolean {
  if (!isInside(folder, root)) return false;
  const parts = relative(root, folder).split(sep);
  return !parts.includes("node_modules") && !parts.includes("site-packages");
}

function candidate(origin: SkillOrigin, name: string, version: string | undefined, packageFolder: string): Candidate {
  const title = [originNames[origin], name, ...(version === undefined ? [] : [version])].join(" ");
  return { key: `${origin}:${name}`, title: plainText(title), packageFolder, folder: join(packageFolder, "skills") };
}

/** Crates that workspace members depend on, according to the lock file. */
async function crates(workspace: string, env: NodeJS.ProcessEnv): Promise<readonly Candidate[]> {
  const answer = await metadataFromFiles(["metadata"], workspace, env).catch(() => undefined);
  const metadata = answer?.kind === "exited" ? parsedObject(answer.stdout) : undefined;
  const listed = metadata?.["workspace_members"];
  const members = new Set<unknown>(Array.isArray(listed) ? listed : []);
  const nodes = objectsOf(asObject(metadata?.["resolve"])?.["nodes"]);
  const direct = new Set<unknown>(
    nodes.flatMap(({ id, dependencies }): readonly unknown[] =>
      members.has(id) && Array.isArray(dependencies) ? dependencies : [],
    ),
  );
  return objectsOf(metadata?.["packages"]).flatMap(({ id, name, version, manifest_path: manifest }) => {
    if (!direct.has(id) || members.has(id) || typeof manifest !== "string") return [];
    // Lock files are untrusted, so names and versions are validated before use in paths.
    if (typeof name !== "string" || !/^[A-Za-z0-9][\w-]*$/.test(name)) return [];
    if (typeof version !== "string" || !/^\d[\w.+-]*$/.test(version)) return [];
    return [candidate("crate", name, version, dirname(manifest))];
  });
}

async function npmPackages(workspace: string, used: readonly UsedPackage[]): Promise<readonly Candidate[]> {
  const found = used.map(async ({ kind, name, manifest }) => {
    if (kind !== "npm") return [];
    const installed = await installedPackage(dirname(resolve(workspace, manifest)), name);
    if (!installed) return [];
    const { version } = installed.manifest;
    return [candidate("npm", name, stringOf(version), installed.folder)];
  });
  return (await Promise.all(found)).flat();
}

async function pythonPackages(
  workspace: string,
  env: NodeJS.ProcessEnv,
  used: readonly UsedPackage[],
): Promise<readonly Candidate[]> {
  const own = used.filter(({ kind }) => kind === "python");
  if (own.length === 0) return [];
  const names = new Set(own.map(({ name }) => name));
  const folders = own.map(({ manifest }) => dirname(resolve(workspace, manifest)));
  const installed = await installedDistributions([workspace, ...folders], env);
  const found = installed
    .filter(({ name }) => names.has(name))
    .map(async (distribution) => {
      const places = await skillFoldersOf(distribution);
      const { name, version } = distribution;
      return places.map((place) => ({ ...candidate("python", name, version, place.packageFolder), ...place }));
    });
  return (await Promise.all(found)).flat();
}

/** Returns the modules that go.mod requires directly, without indirect dependencies. */
function goModules(env: NodeJS.ProcessEnv, used: readonly UsedPackage[]): readonly Candidate[] {
  const [path = ""] = (env["GOPATH"] ?? "").split(process.platform === "win32" ? ";" : ":");
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  const cache = env["GOMODCACHE"] ?? join(path === "" ? join(home, "go") : path, "pkg", "mod");
  if (!isAbsolute(cache)) return [];
  return used.flatMap(({ kind, name, version, isIndirect }) => {
    if (kind !== "go" || isIndirect === true || version === undefined) return [];
    const parts = name.split("/");
    if (!parts.every((part) => /^[\w~-][\w.~-]*$/.test(part)) || !/^v\d[\w.+-]*$/.test(version)) return [];
    // Go escapes capitals as "!" and a lower-case letter, since file systems may ignore case.
    const escaped = `${name}@${version}`.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
    return [candidate("go", name, version, join(cache, ...escaped.split("/")))];
  });
}
