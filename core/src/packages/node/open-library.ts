import { homedir } from "node:os";
import { GoPackages } from "../go/go-packages.js";
import { NpmPackages } from "../npm/npm-packages.js";
import { PackageLibrary } from "../package-library.js";
import { DiskFiles } from "./disk-files.js";
import { FetchedFolder } from "./fetched-folder.js";

/** The packages of this machine. */
export function openLibrary(env: NodeJS.ProcessEnv): PackageLibrary {
  const files = new DiskFiles();
  const machine = { env, home: slashes(homedir()), platform: process.platform, arch: process.arch };
  const readers = [new NpmPackages(files), new GoPackages(files, machine)];
  return new PackageLibrary(files, readers, new FetchedFolder(env));
}

function slashes(path: string): string {
  return process.platform === "win32" ? path.replaceAll("\\", "/") : path;
}
