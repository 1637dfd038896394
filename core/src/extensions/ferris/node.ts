import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { temporaryFolder } from "../../base/node/temporary-folder.js";
import { isInside, realPlace } from "../../base/node/folders.js";
import { hasCargoWorkspace } from "../../base/cargo/node/has-workspace.js";
import { cargoText } from "../../base/cargo/node/run-cargo.js";
import type { Confined } from "../../base/node/confinement.js";
import type { Watchdog } from "../../base/node/orphan-watchdog.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import { metadataFromFiles } from "../../base/cargo/node/metadata-from-files.js";
import type { FerrisServices, ScratchPackage, SourceFolder } from "./services.js";
import { loadUntrustedText } from "../../base/node/read-untrusted-file.js";

/**
 * Runs Ferris with the cargo from `env`'s PATH and temporary scratch packages. In untrusted folders, reads the workspace from its files
 * instead of running cargo, and downloads with the user's own configuration. With a `watchdog`, cargo ends even if this process is killed.
 */
export function ferrisServices(
  trust: FolderTrust,
  env: NodeJS.ProcessEnv = process.env,
  watchdog?: Watchdog,
  confined?: Confined,
): FerrisServices {
  return {
    hasWorkspace: hasCargoWorkspace,
    async cargo(args, cwd, signal) {
      if (await trust.isTrusted(cwd)) return cargoText(args, { cwd, env, signal, watchdog, confined });
      const manifest = args[args.indexOf("--manifest-path") + 1];
      if (manifest === undefined || !args.includes("--manifest-path")) return metadataFromFiles(args, cwd, env);
      return cargoText(args, { cwd: dirname(manifest), env, signal, watchdog, confined });
    },
    scratchPackage,
    folderOf: dirname,
    openFolder: openSourceFolder,
    fileStamp,
    join: (folder, relative) => join(folder, ...relative.split("/")),
  };
}

async function scratchPackage(manifest: string): Promise<ScratchPackage> {
  const folder = await temporaryFolder("symposium-ferris-");
  const manifestPath = join(folder.path, "Cargo.toml");
  await mkdir(join(folder.path, "src"));
  await writeFile(join(folder.path, "src", "lib.rs"), "");
  await writeFile(manifestPath, manifest);
  return { ...folder, manifestPath };
}

async function fileStamp(path: string): Promise<string | undefined> {
  try {
    const { mtimeMs, size } = await stat(path);
    return `${mtimeMs} ${size}`;
  } catch {
    return undefined;
  }
}

const largestFile = 4 * 1024 * 1024;
const mostFiles = 20_000;

/** Returns a lazy view of the folder. */
function openSourceFolder(path: string): SourceFolder {
  const absolute = (name: string): string => join(path, ...name.split("/"));
  return {
    path,
    async paths() {
      const found: string[] = [];
      await collect(path, "", found);
      return found.sort();
    },
    read: (name) => readText(absolute(name)),
    async relativeTo(other) {
      const [root, target] = await Promise.all([realPlace(path), realPlace(resolve(path, other))]);
      if (root === undefined || target === undefined || !isInside(target, root)) return undefined;
      return relative(root, target).split(sep).join("/");
    },
  };
}

async function collect(folder: string, prefix: string, found: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (found.length >= mostFiles) return;
    if (entry.isFile()) found.push(prefix + entry.name);
    else if (entry.isDirectory() && entry.name !== "target" && !entry.name.startsWith(".")) {
      await collect(join(folder, entry.name), `${prefix}${entry.name}/`, found);
    }
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const text = await loadUntrustedText(path, largestFile);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
