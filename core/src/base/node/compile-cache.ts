import { existsSync, realpathSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { readdir, rm, stat } from "node:fs/promises";

/** What newer versions of Node offer; all have the list. */
interface CompileCache {
  readonly builtinModules: readonly string[];
  readonly enableCompileCache?: (directory: string) => unknown;
  readonly flushCompileCache?: () => void;
}

/** When a start has compiled what starts need. Editors that end us by force leave no other moment. */
const flushAfterMs = 3_000;
/** Each version of an editor's extension, and of Node, has files of its own. What is still used is compiled once more. */
const keptMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * Has Node keep what it compiles of this program in a folder "compile-cache" in the first of `folders` that is there, so
 * that the next start of `subcommand` need not; Node itself finds out what is out of date, and after a month it goes. Each
 * subcommand has a place of its own, since what is kept is never added to. Makes none of `folders`: who has set up nothing
 * gets no files. Never throws: a Node without such a cache, a folder that cannot be written and NODE_DISABLE_COMPILE_CACHE=1
 * leave things as they are.
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
 * The folder of the package that `script` is of, as npm has installed it: what is kept there goes with it. None where the
 * script is somewhere else.
 */
export function packageFolders(script: string | undefined): readonly string[] {
  try {
    return script === undefined ? [] : (installed.exec(realpathSync(script)) ?? []);
  } catch {
    return [];
  }
}

/**
 * Removes the files in and below `folder` that nobody has written for `maxAgeMs`; folders stay. Never rejects: what is not
 * there, or cannot be removed, is left to the next time.
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
