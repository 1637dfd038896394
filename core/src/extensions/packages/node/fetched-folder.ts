import { stat } from "node:fs/promises";
import { join } from "node:path";
import { configFolder } from "../../../base/node/own-program.js";
import { pythonNameKey } from "../../../base/python-name-key.js";
import type { FetchedPackages } from "../package-library.js";

/** Packages that were fetched for reading, in a folder of this user: one folder for each version, made whole or not at all. */
export class FetchedFolder implements FetchedPackages {
  constructor(private readonly env: NodeJS.ProcessEnv) {}

  get root(): string {
    return join(configFolder(this.env), "cache", "packages");
  }

  async folderOf(ecosystem: string, name: string, version: string): Promise<string | undefined> {
    const isSafe = /^@?[\w~][\w.~-]*(?:[/:][\w~][\w.~-]*)*$/.test(name) && /^[\w.+!-]+$/.test(version);
    if (!isSafe) return undefined;
    // Names of distributions are compared without case and marks.
    const spelled = ecosystem === "python" ? pythonNameKey(name) : name;
    const folder = join(this.root, ecosystem, fetchedName(spelled, version));
    return (await stat(folder).catch(() => undefined))?.isDirectory() === true
      ? folder.replaceAll("\\", "/")
      : undefined;
  }
}

/** The name of the folder of a version. */
export function fetchedName(name: string, version: string): string {
  return `${name.replaceAll(/[/:]/g, "+")}@${version}`;
}
