import { join } from "node:path";
import { type InstalledVersion, type InstallState, type Launch, versionIn } from "./install-state.js";
import type { Command } from "../../base/command.js";
import { InstallFolder, isFileWithin } from "./install-folder.js";
import type { EntryKind } from "../registry/registry-entry.js";
import { isInstallId } from "../../base/node/archives/name-rules.js";
import { open } from "node:fs/promises";
import { type Installed, installRoot, packageNode } from "./install-place.js";

export function toInstalled(
  id: string,
  folder: InstallFolder,
  { version, folder: name, launch, args, env }: InstalledVersion,
  { current, pinned, previous }: InstallState,
  node: string,
): Installed {
  const root = folder.at(name);
  const [command, ...leading] = programOf(launch, root, node);
  const before = current === version ? previous : current;
  return {
    id,
    version,
    command: { command, args: [...leading, ...args], env },
    folder: root,
    ...(pinned !== undefined && { pinned }),
    ...(before !== undefined && { previous: before }),
  };
}

function programOf(launch: Launch, root: string, node: string): readonly [string, ...string[]] {
  const at = (path: string): string => join(root, ...path.split("/"));
  switch (launch.runner) {
    case "self":
      return [at(launch.file)];
    case "node":
      return [node, ...(launch.preload === undefined ? [] : ["--require", at(launch.preload)]), at(launch.file)];
    case "own":
      return [at(launch.interpreter), at(launch.file)];
  }
}

export async function installedCommand(kind: EntryKind, id: string): Promise<Command | undefined> {
  return (await findInstalled(kind, id))?.command;
}

export async function findInstalled(kind: EntryKind, id: string): Promise<Installed | undefined> {
  if (!isInstallId(id)) return undefined;
  const folder = new InstallFolder(join(installRoot(kind), id));
  const state = await folder.readState();
  const current = versionIn(state, state.current);
  if (!current || !(await isFileWithin(folder.at(current.folder), current.launch.file))) return undefined;
  return toInstalled(id, folder, current, state, packageNode());
}

/** How a program is run. `self`: directly by the system; otherwise by the interpreter that the file's first line or extension names. */
type ProgramRunner = "self" | "node" | "python";

const executables = [
  Buffer.from("\x7fELF", "latin1"),
  Buffer.from("MZ", "latin1"),
  ...["feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe"].map((hex) => Buffer.from(hex, "hex")),
];

/**
 * Determines how to run `file`; returns `fallback` if the file's content doesn't show it. Returns `self` for scripts of other interpreters.
 */
export async function runnerOf(file: string, fallback: ProgramRunner): Promise<ProgramRunner> {
  const start = await readStart(file);
  if (executables.some((magic) => start.subarray(0, magic.length).equals(magic))) return "self";
  const [, line] = /^#!([^\n]*)/.exec(start.toString("latin1")) ?? [];
  if (line === undefined) return /\.(?:exe|cmd|bat)$/i.test(file) ? "self" : fallback;
  if (/\bnode(?:js)?\b/.test(line)) return "node";
  return /\bpython[\d.]*w?\b/.test(line) ? "python" : "self";
}

async function readStart(file: string): Promise<Buffer> {
  await using handle = await open(file, "r");
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
  return buffer.subarray(0, bytesRead);
}
