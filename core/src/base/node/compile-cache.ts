import { attempt } from "../attempt.js";
import { existsSync, realpathSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { readdir, rm, stat } from "node:fs/promises";

/** Node's module functions; older versions have only `builtinModules`. */
interface CompileCache {
  readonly builtinModules: readonly string[];
  readonly enableCompileCache?: (directory: string) => unknown;
  readonly flushCompileCache?: () => void;
}

/** Delay after which a start has compiled its code. Flushing at exit is unreliable, since editors may kill the process. */
const flushAfterMs = 3_000;
/**
 * Age limit for cached code, since each version of Node and of an editor's extension adds files. Deleted code is compiled again when used.
 */
const keptMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * Enables Node's compile cache in "compile-cache" inside the first existing member of `folders`, to speed up later starts of `subcommand`.
 * Each subcommand has a separate cache, because an existing cache is never extended; files are deleted after a month. Creates none of
 * `folders` and never throws.
 */
export function keepCompiledCode(
  folders: readonly string[],
  subcommand: string,
  node: CompileCache = nodeModule,
): void {
  const folder = node.enableCompileCache && folders.find((one) => existsSync(one));
  if (!node.enableCompileCache || folder === undefined) return;
  const place = join(folder, "compile-cache");
  node.enableCompileCache(join(place, subcommand));
  setTimeout(() => {
    node.flushCompileCache?.();
    void removeOldFiles(place, keptMs);
  }, flushAfterMs).unref();
}

const installed = /^.*[\\/]node_modules[\\/]symposium-acp-agent(?=[\\/])/;

/**
 * Returns the npm package folder that contains `script`, so that uninstalling the package also deletes the cache. Empty if the script isn't
 * in an installed package.
 */
export function packageFolders(script: string | undefined): readonly string[] {
  return (script !== undefined && attempt(() => installed.exec(realpathSync(script)))) || [];
}

/**
 * Deletes files in and below `folder` that are unmodified for `maxAgeMs`, but no folders. Never rejects; files that can't be deleted wait
 * for the next call.
 */
export async function removeOldFiles(folder: string, maxAgeMs: number): Promise<void> {
  const oldest = Date.now() - maxAgeMs;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const { mtimeMs = oldest } = (await stat(file).catch(() => undefined)) ?? {};
    if (mtimeMs < oldest) await rm(file, { force: true }).catch(() => undefined);
  }
}
