import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { asObject, parsedObject } from "../../base/rpc/json.js";
import { homedir } from "node:os";
import { builtInAgent } from "../registry/built-in-agents.js";
import { shippedPackageSize, sizeWords } from "../registry/download-size.js";

/** Whether the package is in npx's cache. Doesn't read npm's configuration files, so returns false if only they name the cache folder. */
async function isInNpxCache(packageName: string, env: NodeJS.ProcessEnv, home: string): Promise<boolean> {
  const configured = Object.entries(env).find(([name]) => name.toLowerCase() === "npm_config_cache")?.[1];
  const windows = process.platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  const cache = configured ?? (windows === undefined ? join(home, ".npm") : join(windows, "npm-cache"));
  const projects = await readdir(join(cache, "_npx")).catch(() => []);
  const manifests = await Promise.all(projects.map((name) => readManifest(join(cache, "_npx", name, "package.json"))));
  return manifests.some((manifest) => Object.hasOwn(asObject(manifest?.["dependencies"]) ?? {}, packageName));
}

async function readManifest(file: string): Promise<ReturnType<typeof asObject>> {
  return parsedObject(await readFile(file, "utf8").catch(() => ""));
}

/** Describes the npx download that starting agent `id` requires, with its size. Undefined if the package is cached. */
export async function npxDownloadNotice(id: string): Promise<string | undefined> {
  const name = builtInAgent(id)?.npmPackage;
  if (name === undefined || (await isInNpxCache(name, process.env, homedir()))) return undefined;
  const size = sizeWords(shippedPackageSize(name));
  return `${id} is not installed. npx downloads ${name}, ${size}, unless npm has already cached it.`;
}
