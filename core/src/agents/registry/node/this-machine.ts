import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { foldersUp, realPlace } from "../../../base/node/folders.js";
import { plainText } from "../registry-entry.js";
import { agentTable } from "../agent-table.js";
import { asObject, parsedObject } from "../../../base/rpc/json.js";
import { platformOf, type Platform } from "../start-plan.js";

/** Maximum number of parent folders searched for the program's package. */
const maxFoldersUp = 5;

/**
 * Finds the version of the npm package that installed `program`, an absolute path. Starts nothing: npm programs are links into their
 * package, or on Windows scripts next to `node_modules`. Pass `npmPackage` if its name is known.
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
 * Describes evidence that the user is signed in to agent `id`; undefined without evidence. Checks only whether variables and files exist,
 * never their content.
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

function hasProgram({ name, bin }: Manifest, program: string): boolean {
  if (typeof bin === "string") return typeof name === "string" && name.split("/").at(-1) === program;
  return Object.hasOwn(asObject(bin) ?? {}, program);
}

function versionOf({ version }: Manifest): string | undefined {
  return typeof version === "string" ? plainText(version, 60) : undefined;
}

export function currentPlatform(): Platform {
  return platformOf(process.platform, process.arch, process.platform === "linux" && isMusl());
}

/** Node's report includes the glibc version only if the process runs on glibc. */
function isMusl(): boolean {
  // Without this option, the report resolves the host names of open connections, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime === undefined;
}
