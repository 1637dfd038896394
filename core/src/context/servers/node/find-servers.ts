import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { foldersUp } from "../../../base/node/folders.js";
import type { UserServer } from "../../../settings/user-server.js";
import { type FoundFile, readServers } from "../formats/read-servers.js";
import { jetBrainsFile, type Machine, products, type ServerFile, serverFiles } from "../formats/server-files.js";
import { jetBrainsFlags, type JetBrainsFlags } from "../formats/goose.js";
import { readServerFile } from "./read-server-file.js";

/** Returns this machine's properties for a session in `cwd`; without `cwd`, no project is searched. */
export function thisMachine(cwd?: string, env: Machine["env"] = process.env, home = homedir()): Machine {
  const platform = process.platform === "win32" || process.platform === "darwin" ? process.platform : "linux";
  return { platform, home, env, folders: cwd === undefined ? [] : projectFolders(cwd, home) };
}

/**
 * Finds all files of other products that list MCP servers or can't be read. Only reads: starts, expands and writes nothing. Never rejects.
 */
export async function findServers(machine: Machine): Promise<readonly FoundFile[]> {
  const found = await readAll(serverFiles(machine));
  return found.filter(({ servers, problems }) => servers.length > 0 || problems.length > 0);
}

/** A server that an agent reads from its own configuration. */
interface OwnServer extends Pick<UserServer, "name" | "launch"> {
  readonly file: string;
  readonly kind: "user" | "project";
  readonly isEnabled: boolean;
  /** Whether the agent reads the server only after the user trusted the folder or the server. */
  readonly needsTrust: boolean;
}

/** Returns the servers that an agent reads by itself in `cwd`; `agent` is the agent's id. Never rejects. */
export async function ownServersOf(
  agent: string,
  cwd: string,
  machine: Machine = thisMachine(cwd),
): Promise<readonly OwnServer[]> {
  const read = await readAll(serverFiles(machine).filter(({ readBy }) => readBy.some((one) => one.agent === agent)));
  return read.flatMap(({ path, kind, readBy, servers }) =>
    servers.flatMap(({ server, folder }) => {
      if (folder !== undefined && folder !== cwd) return [];
      const needsTrust = readBy.some((one) => one.agent === agent && one.needsTrust);
      const { name, launch, isEnabled } = server;
      return [{ name, launch, file: path, kind, isEnabled, needsTrust }];
    }),
  );
}

/** Reads which servers JetBrains IDEs give to agents. Returns an empty list if no such IDE is configured. Never rejects. */
export async function findJetBrainsFlags(machine: Machine): Promise<readonly JetBrainsFlags[]> {
  const read = await readServerFile(jetBrainsFile(machine), "json");
  return read.state === "read" ? jetBrainsFlags(read.value) : [];
}

async function readAll(files: readonly ServerFile[]): Promise<readonly FoundFile[]> {
  const expanded = await Promise.all(files.map(pathsOf));
  const read = await Promise.all(expanded.flat().map(readOne));
  return read.flatMap((file) => file ?? []);
}

async function readOne(file: ServerFile): Promise<FoundFile | undefined> {
  const { product, path, kind, readBy } = file;
  const read = await readServerFile(path, file.syntax);
  if (read.state === "absent") return undefined;
  const content =
    read.state === "read"
      ? readServers(read.value, file.format, { kind, file: path })
      : { servers: [], problems: [read.reason] };
  return { product, productName: products[product], path, kind, readBy, ...content };
}

async function pathsOf(file: ServerFile): Promise<readonly ServerFile[]> {
  const parts = file.path.split(sep);
  const any = parts.indexOf("*");
  if (any === -1) return [file];
  const folder = parts.slice(0, any).join(sep);
  const names = await readdir(folder).catch(() => []);
  return names.sort().map((name) => ({ ...file, path: [folder, name, ...parts.slice(any + 1)].join(sep) }));
}

/** Returns `cwd` and its parents up to the repository root. Returns only `cwd` outside a repository, or if the root is the home folder. */
function projectFolders(cwd: string, home: string): readonly string[] {
  const folders: string[] = [];
  for (const folder of foldersUp(cwd)) {
    if (folder === home) break;
    folders.push(folder);
    if (existsSync(join(folder, ".git"))) return folders;
  }
  return cwd === home ? [] : [cwd];
}
