// The programs that packaging needs and nobody else does, installed once into .cache/release-tools. tools/ says of each which
// packages it consists of, with their checksums: what publishes has a token, and runs no code that nobody chose.
import { createRequire } from "node:module";
import { join } from "node:path";
import { LockedPackages } from "../locked-packages.mjs";
import { fail, root } from "../set-up.mjs";
import { platforms } from "./platforms.mjs";

const packages = new LockedPackages({
  tools: join(root, "scripts/release/tools"),
  cache: join(root, ".cache", "release-tools"),
});

/** The version of Bun, which makes one executable of a script, for any platform from any platform. */
export function bunVersion() {
  const [version] = new Set(Object.values(JSON.parse(packages.read("bun", "package.json")).dependencies));
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
  const folder = await packages.part("bun", `@oven/${target}`);
  return join(folder, "bin", target.includes("windows") ? "bun.exe" : "bun");
}

/** npm in the version that publishes, as a script for Node: older ones publish with a token alone. */
export async function npmProgram() {
  return join(await packages.tool("npm"), "bin", "npm-cli.js");
}

/** Packages a VS Code extension and publishes to the Marketplace: a script for Node. */
export async function vsceProgram() {
  return join(await packages.tool("vsce", "@vscode/vsce"), "vsce");
}

/** Publishes to Open VSX: a script for Node. */
export async function ovsxProgram() {
  return join(await packages.tool("ovsx"), "bin", "ovsx");
}

/** Compressor for zip archives that needs more time than zlib and makes smaller files. */
export async function zopfliModule() {
  const folder = join(await packages.tool("zopfli", "@gfx/zopfli"), "package.json");
  return createRequire(folder)("@gfx/zopfli");
}

/** The folder of what finds the texts that translators translate. */
export async function l10nDevFolder() {
  return packages.tool("l10n-dev", "@vscode/l10n-dev");
}

/** The folder of what makes the documentation site. */
export async function vitepressFolder() {
  return packages.tool("vitepress");
}

/** Folder of GitHub's library that evaluates `${{ … }}` expressions in workflows. */
export async function expressionsFolder() {
  return packages.tool("expressions", "@actions/expressions");
}

/** Node itself in `version`, for this machine. */
export async function nodeProgram(version) {
  const { platform, arch } = process;
  const name = `node-${platform === "win32" ? "win" : platform === "darwin" ? "bin-darwin" : platform}-${arch}`;
  return join(await packages.version(name, version), "bin", platform === "win32" ? "node.exe" : "node");
}
