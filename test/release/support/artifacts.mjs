// Every package of a release, built once per run by the first test that reads one. Importing this file in a test file makes
// mocha remove them after the last test.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { extract } from "tar";
import { product } from "../../../scripts/release/identity.mjs";
import { platforms } from "../../../scripts/release/platforms.mjs";
import { contentsOfPackage } from "./package-contents.mjs";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const system = process.platform === "win32" ? "windows" : process.platform;
/** The row of the platform table for this machine. */
export const here = platforms.find(({ name }) => name === `${system}-${process.arch}`);
export const names = { npm: `${product.command}-${version}.tgz`, vsix: `${product.id}-${version}.vsix` };

const folder = await mkdtemp(join(tmpdir(), "symposium-artifacts-"));
after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
const made = new Map();

/** The folder with a release's files for all platforms. */
export function releaseFolder() {
  return once("release", (out) => packageRelease(out));
}

/** The path of the executable in the archive of a platform, unpacked beside the archive's other files. */
export function unpackedExecutable(row) {
  return once(row.name, async (place) => {
    await unpack(join(await releaseFolder(), row.archive), place);
    return join(place, row.executable);
  });
}

/** The folder of the unpacked npm package. */
export function unpackedNpm() {
  return once("npm", async (place) => {
    await unpack(join(await releaseFolder(), names.npm), place);
    return join(place, "package");
  });
}

/** Runs package.mjs for these platforms, or for all, and returns `out`. `words` stand before its command. */
export function packageRelease(out, { only = [], words = [], env = {} } = {}) {
  const choice = only.flatMap((row) => ["--platform", row.name]);
  const [program, ...rest] = [...words, "node", "scripts/release/package.mjs", ...choice, "--out", out];
  // Its lines show the test's runner that it is at work: it takes minutes.
  const stdio = ["ignore", "inherit", "inherit"];
  const { status, error } = spawnSync(program, rest, { cwd: root, env: { ...process.env, ...env }, stdio });
  assert.equal(status, 0, `${program} ${rest.join(" ")}: ${error?.message ?? "see its lines above"}`);
  return out;
}

/** The output of a program that must succeed. */
export function run([program, ...words], { env = {}, cwd = root } = {}) {
  const options = { cwd, encoding: "utf8", env: { ...process.env, ...env }, maxBuffer: 1024 ** 3 };
  const { status, stdout, stderr, error } = spawnSync(program, words, options);
  assert.equal(status, 0, `${program} ${words.join(" ")}:\n${error?.message ?? ""}\n${stdout}\n${stderr}`);
  return stdout;
}

/** A new folder that is removed with the artifacts. */
export async function newFolder(name) {
  const place = join(folder, name);
  await mkdir(place, { recursive: true });
  return place;
}

/** Returns the result of the first `make` for `name`. `make` gets a new folder. */
function once(name, make) {
  const result = made.get(name) ?? newFolder(name).then(make);
  made.set(name, result);
  return result;
}

async function unpack(archive, place) {
  if (!archive.endsWith(".zip")) return extract({ file: archive, cwd: place });
  for (const [name, bytes] of await contentsOfPackage(archive)) await writeFile(join(place, name), bytes);
}
