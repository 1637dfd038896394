import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { foldersUp, realPlace } from "../../../base/node/folders.js";
import { plainText } from "../registry-entry.js";
import { agentTable } from "../agent-table.js";
import { asObject, parsedObject } from "../../../base/rpc/json.js";
import { platformOf, type Platform } from "../start-plan.js";

/** Folders above a program that may be its package's. */
const maxFoldersUp = 5;

/**
 * The version of the npm package that brought `program`, an absolute path, or undefined. Starts nothing: a program of
 * npm is a link into its package, or on Windows a script beside `node_modules`. `npmPackage` is the package's name where
 * it is known.
 */
export async function programVersion(program: string, npmPackage?: string): Promise<string | undefined> {
  if (npmPackage !== undefined) {
    const beside = await readManifest(join(dirname(program), "node_modules", npmPackage));
    if (beside?.["name"] === npmPackage) return versionOf(beside);
  }
  const name = basename(program, extname(program));
  const own = dirname((await realPlace(program)) ?? program);
  for (const folder of foldersUp(own).slice(0, maxFoldersUp)) {
    const manifest = await readManifest(folder);
    if (manifest && hasProgram(manifest, name)) return versionOf(manifest);
  }
  return undefined;
}

/**
 * Why the user seems to be signed in to the built-in agent `id`, in words, or undefined where that cannot be seen. Looks
 * for names of variables and files, and reads neither.
 */
export function signInTrace(id: string, env: NodeJS.ProcessEnv, home = homedir()): string | undefined {
  const traces = agentTable.find((agent) => agent.id === id)?.signInTraces;
  const variable = traces?.variables.find((name) => (env[name] ?? "") !== "");
  if (variable !== undefined) return `${variable} is set`;
  for (const { folderIn, folder, name } of traces?.files ?? []) {
    const chosen = folderIn === undefined ? "" : (env[folderIn] ?? "");
    const path = join(chosen === "" ? join(home, folder) : chosen, name);
    if (existsSync(path)) return `${chosen === "" ? `~/${folder}/${name}` : path} exists`;
  }
  return undefined;
}

type Manifest = Readonly<Record<string, unknown>>;

async function readManifest(folder: string): Promise<Manifest | undefined> {
  return parsedObject(await readFile(join(folder, "package.json"), "utf8").catch(() => ""));
}

/** Whether the package installs a program of this name. */
function hasProgram({ name, bin }: Manifest, program: string): boolean {
  if (typeof bin === "string") return typeof name === "string" && name.split("/").at(-1) === program;
  return Object.hasOwn(asObject(bin) ?? {}, program);
}

function versionOf({ version }: Manifest): string | undefined {
  return typeof version === "string" ? plainText(version, 60) : undefined;
}

/** The platform that this process runs on, as registries name it. */
export function currentPlatform(): Platform {
  return platformOf(process.platform, process.arch, process.platform === "linux" && isMusl());
}

/** Node's report names the version of glibc that runs, and nothing where another libc does. */
function isMusl(): boolean {
  // Otherwise the report looks up the names of open connections, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime === undefined;
}
