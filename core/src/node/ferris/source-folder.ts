import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { SourceFolder } from "../../proxies/ferris/services.js";

const largestFile = 4 * 1024 * 1024;
const mostFiles = 20_000;

/** The folder at `path`, which is only looked at when it is asked. */
export function openSourceFolder(path: string): SourceFolder {
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
      const [root, target] = await Promise.all([real(path), real(resolve(path, other))]);
      if (root === undefined || target === undefined) return undefined;
      const inside = relative(root, target);
      return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)
        ? undefined
        : inside.split(sep).join("/");
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
    const { size } = await stat(path);
    if (size > largestFile) return undefined;
    const text = await readFile(path, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function real(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
