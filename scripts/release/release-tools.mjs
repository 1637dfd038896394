// The programs that packaging needs and nobody else does, each at one version, installed once into .cache/release-tools.
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, root, run } from "../set-up.mjs";
import { platforms } from "./platforms.mjs";

/** Makes one executable of a script, for any platform from any platform. */
export const bunVersion = "1.4.5";
const cache = join(root, ".cache", "release-tools");

/** Bun's own program for this machine. */
export async function bunProgram() {
  const here = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const row = platforms.find(({ name }) => name === here) ?? fail(`There is no Bun for this machine, ${here}.`);
  return bunRuntime(row.bun.package);
}

/** The program of Bun that becomes the executable for a platform of the table. */
export async function bunRuntime(target) {
  const folder = await installed(`@oven/${target}`, bunVersion);
  return join(folder, "bin", target.includes("windows") ? "bun.exe" : "bun");
}

/** The program of an npm registry of one's own, for trying what publishes. */
export async function verdaccioProgram() {
  // One of its packages asks for a version by a tag that not every mirror has.
  return join(await installed("verdaccio", "6.10.4", { "node-fetch": "2.7.0" }), "bin", "verdaccio");
}

/** What publishes to Open VSX, as a script for Node. */
export async function ovsxProgram() {
  return join(await installed("ovsx", "1.3.0"), "bin", "ovsx");
}

/** The folder of what makes the documentation site. */
export async function vitepressFolder() {
  return installed("vitepress", "1.6.4");
}

/** The folder of the library that evaluates what stands between `${{` and `}}` in workflows, by those who define it. */
export async function expressionsFolder() {
  return installed("@actions/expressions", "0.3.61");
}

/** Node itself in `version`, for this machine. */
export async function nodeProgram(version) {
  const { platform, arch } = process;
  const name = `node-${platform === "win32" ? "win" : platform === "darwin" ? "bin-darwin" : platform}-${arch}`;
  return join(await installed(name, version), "bin", platform === "win32" ? "node.exe" : "node");
}

/** The folder of a package, whatever platform it says it is for. */
async function installed(name, version, overrides = {}) {
  const place = join(cache, `${name.replace("/", "+")}-${version}`);
  const folder = join(place, "node_modules", name);
  if (existsSync(folder)) return folder;
  const staging = `${place}.${process.pid}`;
  await mkdir(staging, { recursive: true });
  const manifest = { private: true, dependencies: { [name]: version }, overrides };
  await writeFile(join(staging, "package.json"), JSON.stringify(manifest));
  const options = ["--ignore-scripts", "--force", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  if (run("npm", ["install", "--prefix", staging, ...options], { quiet: true }) !== 0) {
    await rm(staging, { recursive: true, force: true });
    fail(`npm cannot install ${name}@${version}: see above.`);
  }
  await rename(staging, place).catch(async (error) => {
    // Another run was first.
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
}
