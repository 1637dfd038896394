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

/** This machine, for a session in `cwd`; without it, for no project. */
export function thisMachine(cwd?: string, env: Machine["env"] = process.env, home = homedir()): Machine {
  const platform = process.platform === "win32" || process.platform === "darwin" ? process.platform : "linux";
  return { platform, home, env, folders: cwd === undefined ? [] : projectFolders(cwd, home) };
}

/**
 * Every file of another product on this machine that names MCP servers, or cannot be read. Reads alone: nothing is
 * started, expanded or written. Never rejects.
 */
export async function findServers(machine: Machine): Promise<readonly FoundFile[]> {
  const found = await readAll(serverFiles(machine));
  return found.filter(({ servers, problems }) => servers.length > 0 || problems.length > 0);
}

/** A server that an agent reads from a file of its own. */
interface OwnServer extends Pick<UserServer, "name" | "launch"> {
  /** The file that names it; absolute. */
  readonly file: string;
  readonly kind: "user" | "project";
  readonly isEnabled: boolean;
  /** The agent does so only once its user has trusted the folder, or the server. */
  readonly needsTrust: boolean;
}

/** The servers that an agent has by itself in `cwd`, by its id in the table of agents. Never rejects. */
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

/** Which of their servers JetBrains' IDEs give to agents; none where there is no such IDE. Never rejects. */
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

/** The files that a path with `*` in it stands for. */
async function pathsOf(file: ServerFile): Promise<readonly ServerFile[]> {
  const parts = file.path.split(sep);
  const any = parts.indexOf("*");
  if (any === -1) return [file];
  const folder = parts.slice(0, any).join(sep);
  const names = await readdir(folder).catch(() => []);
  return names.sort().map((name) => ({ ...file, path: [folder, name, ...parts.slice(any + 1)].join(sep) }));
}

/** `cwd` and the folders around it, up to the root of its repository; `cwd` alone where it is in none, or in the user's own. */
function projectFolders(cwd: string, home: string): readonly string[] {
  const folders: string[] = [];
  for (const folder of foldersUp(cwd)) {
    if (folder === home) break;
    folders.push(folder);
    if (existsSync(join(folder, ".git"))) return folders;
  }
  return cwd === home ? [] : [cwd];
}
