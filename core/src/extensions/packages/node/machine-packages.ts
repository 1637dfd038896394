import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { GoPackages } from "../go/go-packages.js";
import { JvmPackages } from "../jvm/jvm-packages.js";
import type { Machine } from "../machine.js";
import { NpmPackages } from "../npm/npm-packages.js";
import { PackageLibrary } from "../package-library.js";
import { PythonPackages } from "../python/python-packages.js";
import { DiskFiles } from "./disk-files.js";
import { FetchedFolder } from "./fetched-folder.js";

export function machinePackages(env: NodeJS.ProcessEnv): PackageLibrary {
  const files = new DiskFiles();
  const home = (process.platform === "win32" ? env["USERPROFILE"] : env["HOME"]) ?? homedir();
  const machine: Machine = { env, home: slashes(home), platform: process.platform, arch: process.arch, sha256 };
  const readers = [
    new NpmPackages(files),
    new GoPackages(files, machine),
    new PythonPackages(files, machine),
    new JvmPackages(files, machine),
  ];
  return new PackageLibrary(files, readers, new FetchedFolder(env));
}

function slashes(path: string): string {
  return process.platform === "win32" ? path.replaceAll("\\", "/") : path;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
