import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { isThere } from "../../../base/node/folders.js";
import { configFolder } from "../../../base/node/own-program.js";
import { pythonNameKey } from "../../../base/python-name-key.js";
import type { FetchedPackages } from "../package-library.js";

/** Packages downloaded for reading, in a folder of this user. Each version's folder is created atomically. */
export class FetchedFolder implements FetchedPackages {
  constructor(private readonly env: NodeJS.ProcessEnv) {}

  get root(): string {
    return join(configFolder(this.env), "cache", "packages");
  }

  async folderOf(ecosystem: string, name: string, version: string): Promise<string | undefined> {
    const isSafe = /^@?[\w~][\w.~-]*(?:[/:][\w~][\w.~-]*)*$/.test(name) && /^[\w.+!-]+$/.test(version);
    if (!isSafe) return undefined;
    // Distribution names are compared ignoring case and punctuation.
    const spelled = ecosystem === "python" ? pythonNameKey(name) : name;
    const folder = join(this.root, ecosystem, fetchedName(spelled, version));
    return (await stat(folder).catch(() => undefined))?.isDirectory() === true
      ? folder.replaceAll("\\", "/")
      : undefined;
  }
}

export function fetchedName(name: string, version: string): string {
  return `${name.replaceAll(/[/:]/g, "+")}@${version}`;
}

/** Moves a downloaded folder to `target`, or uses the folder that a concurrent download has created there. Returns its path with `/`. */
export async function movedTo(target: string, from: string): Promise<string> {
  await rename(from, target).catch(async (error: unknown) => {
    if (!(await isThere(target))) throw error;
  });
  return target.replaceAll("\\", "/");
}
