import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { memoryFault } from "../../proxies/sparkle/memory-fault.js";
import { systemCode } from "../system-code.js";

/**
 * The path of `name` (relative, `/` between parts) in `folder`, links followed. Rejects when a link on the way leads
 * out of the folder or nowhere. `folder` is a real path; what does not exist is taken as it is named.
 */
export async function pathInside(folder: string, name: string): Promise<string> {
  const parts = name.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\\"))) {
    throw memoryFault(`"${name}" is no name of a file in ${folder}.`, "Use a plain relative name.");
  }
  let path = folder;
  for (const [index, part] of parts.entries()) {
    const next = join(path, part);
    const entry = await lstat(next).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (entry === undefined) return join(path, ...parts.slice(index));
    path = entry.isSymbolicLink() ? await followInside(folder, next) : next;
  }
  return path;
}

async function followInside(folder: string, link: string): Promise<string> {
  const target = await realpath(link).catch(() => undefined);
  if (target !== undefined && isInside(folder, target)) return target;
  throw memoryFault(`${link} is a link that leads out of ${folder}.`, "Replace it with a file or folder of its own.");
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
