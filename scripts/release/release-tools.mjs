// The programs that packaging needs and nobody else does, installed once into .cache/release-tools. tools/ says of each which
// packages it consists of, with their checksums: what publishes has a token, and runs no code that nobody chose.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, root, run } from "../set-up.mjs";
import { platforms } from "./platforms.mjs";

const cache = join(root, ".cache", "release-tools");
const tools = join(root, "scripts/release/tools");

/** The version of Bun, which makes one executable of a script, for any platform from any platform. */
export function bunVersion() {
  const [version] = new Set(Object.values(JSON.parse(readTool("bun", "package.json")).dependencies));
  return version;
}

/** Bun's own program for this machine. */
export async function bunProgram() {
  const here = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const row = platforms.find(({ name }) => name === here) ?? fail(`There is no Bun for this machine, ${here}.`);
  return bunRuntime(row.bun.package);
}

/** The program of Bun that becomes the executable for a platform of the table. */
export async function bunRuntime(target) {
  const folder = await lockedPackage("bun", `@oven/${target}`);
  return join(folder, "bin", target.includes("windows") ? "bun.exe" : "bun");
}

/** The program of an npm registry of one's own, for trying what publishes. */
export async function verdaccioProgram() {
  return join(await lockedTool("verdaccio"), "bin", "verdaccio");
}

/** What publishes to Open VSX, as a script for Node. */
export async function ovsxProgram() {
  return join(await lockedTool("ovsx"), "bin", "ovsx");
}

/** The folder of what makes the documentation site. */
export async function vitepressFolder() {
  return lockedTool("vitepress");
}

/** The folder of the library that evaluates what stands between `${{` and `}}` in workflows, by those who define it. */
export async function expressionsFolder() {
  return lockedTool("expressions", "@actions/expressions");
}

/** Node itself in `version`, for this machine. */
export async function nodeProgram(version) {
  const { platform, arch } = process;
  const name = `node-${platform === "win32" ? "win" : platform === "darwin" ? "bin-darwin" : platform}-${arch}`;
  const manifest = JSON.stringify({ private: true, dependencies: { [name]: version } });
  return join(await installed(name, version, { manifest }), "bin", platform === "win32" ? "node.exe" : "node");
}

/** The folder of the package `name` in `tool`, beside those that it needs. */
async function lockedTool(tool, name = tool) {
  const [manifest, lock] = ["package.json", "package-lock.json"].map((file) => readTool(tool, file));
  const { version } = JSON.parse(lock).packages[`node_modules/${name}`];
  const sum = createHash("sha256").update(lock).digest("hex").slice(0, 8);
  return installed(name, `${version}-${sum}`, { manifest, lock });
}

/** The folder of one package of `tool` alone, which needs no other; whatever platform it says it is for. */
async function lockedPackage(tool, name) {
  const entry = JSON.parse(readTool(tool, "package-lock.json")).packages[`node_modules/${name}`];
  const wanted = { private: true, dependencies: { [name]: entry.version } };
  const lock = { lockfileVersion: 3, requires: true, packages: { "": wanted, [`node_modules/${name}`]: entry } };
  return installed(name, entry.version, { manifest: JSON.stringify(wanted), lock: JSON.stringify(lock) });
}

function readTool(tool, file) {
  return readFileSync(join(tools, tool, file), "utf8");
}

/** The folder of a package in a place of its own, by name and `label`, into which npm puts what these files say. */
async function installed(name, label, { manifest, lock }) {
  const place = join(cache, `${name.replace("/", "+")}-${label}`);
  const folder = join(place, "node_modules", name);
  if (existsSync(folder)) return folder;
  const staging = `${place}.${process.pid}`;
  await mkdir(staging, { recursive: true });
  await writeFile(join(staging, "package.json"), manifest);
  if (lock !== undefined) await writeFile(join(staging, "package-lock.json"), lock);
  const options = ["--ignore-scripts", "--force", "--no-audit", "--no-fund", "--loglevel=error"];
  const words = [lock === undefined ? "install" : "ci", "--prefix", staging, ...options];
  if (run("npm", words, { quiet: true }) !== 0) {
    await rm(staging, { recursive: true, force: true });
    fail(`npm cannot install ${name} ${label}: see above.`);
  }
  await rename(staging, place).catch(async (error) => {
    // Another run was first.
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
}
