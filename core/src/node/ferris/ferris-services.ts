import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FerrisServices, ScratchPackage } from "../../proxies/ferris/services.js";
import type { Watchdog } from "../watchdog.js";
import { runCargo } from "./run-cargo.js";
import { openSourceFolder } from "./source-folder.js";

/**
 * Ferris on this machine: the cargo of `env`'s PATH, the file system, scratch packages among the temporary files. With a
 * `watchdog`, cargo ends with this process even when that is killed.
 */
export function ferrisServices(env: NodeJS.ProcessEnv = process.env, watchdog?: Watchdog): FerrisServices {
  return {
    cargo: (args, cwd, signal) => runCargo(args, { cwd, env, signal, watchdog }),
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
