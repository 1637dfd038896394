import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { asObject } from "../rpc/json.js";

/** Whether npx has the package in its cache already; false also where the cache is in a place that only npm's settings name. */
export async function isInNpxCache(packageName: string, env: NodeJS.ProcessEnv, home: string): Promise<boolean> {
  const configured = Object.entries(env).find(([name]) => name.toLowerCase() === "npm_config_cache")?.[1];
  const windows = process.platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  const cache = configured ?? (windows === undefined ? join(home, ".npm") : join(windows, "npm-cache"));
  const projects = await readdir(join(cache, "_npx")).catch(() => []);
  const manifests = await Promise.all(projects.map((name) => readManifest(join(cache, "_npx", name, "package.json"))));
  return manifests.some((manifest) => Object.hasOwn(asObject(manifest?.["dependencies"]) ?? {}, packageName));
}

async function readManifest(file: string): Promise<ReturnType<typeof asObject>> {
  try {
    return asObject(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}
