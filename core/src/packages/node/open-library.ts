import { NpmPackages } from "../npm/npm-packages.js";
import { PackageLibrary } from "../package-library.js";
import { DiskFiles } from "./disk-files.js";
import { FetchedFolder } from "./fetched-folder.js";

/** The packages of this machine. */
export function openLibrary(env: NodeJS.ProcessEnv): PackageLibrary {
  const files = new DiskFiles();
  const readers = [new NpmPackages(files)];
  return new PackageLibrary(files, readers, new FetchedFolder(env));
}
