import { NpmPackages } from "../npm/npm-packages.js";
import { PackageLibrary } from "../package-library.js";
import { DiskFiles } from "./disk-files.js";
import { FetchedFolder } from "./fetched-packages.js";

/** The packages of this machine. */
export function openLibrary(env: NodeJS.ProcessEnv): PackageLibrary {
  const files = new DiskFiles();
  return new PackageLibrary(files, [new NpmPackages(files)], new FetchedFolder(env));
}
