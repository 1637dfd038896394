import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FerrisServices, ScratchPackage } from "../../proxies/ferris/services.js";
import type { FolderTrust } from "../../trust/folder-trust.js";
import { metadataFromFiles } from "../cargo-workspace.js";
import type { Watchdog } from "../watchdog.js";
import { runCargo } from "./run-cargo.js";
import { openSourceFolder } from "./source-folder.js";

/**
 * Ferris on this machine: the cargo of `env`'s PATH, the file system, scratch packages among the temporary files. In folders
 * that are not trusted cargo is not run: the workspace is read from its files, and what has to be fetched is fetched with
 * the user's own configuration. With a `watchdog`, cargo ends with this process even when that is killed.
 */
export function ferrisServices(
  trust: FolderTrust,
  env: NodeJS.ProcessEnv = process.env,
  watchdog?: Watchdog,
): FerrisServices {
  return {
    async cargo(args, cwd, signal) {
      if (await trust.isTrusted(cwd)) return runCargo(args, { cwd, env, signal, watchdog });
      const manifest = args[args.indexOf("--manifest-path") + 1];
      if (manifest === undefined || !args.includes("--manifest-path")) return metadataFromFiles(args, cwd, env);
      return runCargo(args, { cwd: dirname(manifest), env, signal, watchdog });
    },
    scratchPackage,
    folderOf: dirname,
    openFolder: openSourceFolder,
    fileStamp,
    join: (folder, relative) => join(folder, ...relative.split("/")),
  };
}

async function scratchPackage(manifest: string): Promise<ScratchPackage> {
  const folder = await mkdtemp(join(tmpdir(), "symposium-ferris-"));
  const manifestPath = join(folder, "Cargo.toml");
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "src", "lib.rs"), "");
  await writeFile(manifestPath, manifest);
  return { manifestPath, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function fileStamp(path: string): Promise<string | undefined> {
  try {
    const { mtimeMs, size } = await stat(path);
    return `${mtimeMs} ${size}`;
  } catch {
    return undefined;
  }
}
