// Every package that a lock file of this repository names.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const npmLocks = ["package-lock.json"];
const tools = "scripts/release/tools";
const cargoLocks = ["context-server", "language-models"].map((crate) => `zed-extension/${crate}/Cargo.lock`);

/** The locked packages as purls, such as `pkg:npm/zod@4.6.7`, each once. */
export async function lockedPurls(root) {
  const names = await readdir(join(root, tools));
  const locks = [...npmLocks, ...names.map((name) => `${tools}/${name}/package-lock.json`)];
  const npm = await Promise.all(locks.map(async (lock) => npmPackages(await json(join(root, lock)))));
  const crates = await Promise.all(
    cargoLocks.map(async (lock) => cargoPackages(await readFile(join(root, lock), "utf8"))),
  );
  return [...new Set([...npm.flat(), ...crates.flat()].map(({ purl }) => purl))].sort();
}

/** The packages of a package-lock.json: `purl`, the `path` of its folder, its `sha512` and its `dependencies`' names. */
export function npmPackages({ packages }) {
  return Object.entries(packages).flatMap(([path, { version, integrity, link, dependencies = {}, name }]) => {
    if (path === "" || link === true || !path.includes("node_modules/")) return [];
    const called = name ?? path.replace(/^.*node_modules\//, "");
    const sha512 = /^sha512-([^ ]+)/.exec(integrity ?? "")?.[1];
    const hash = sha512 === undefined ? undefined : Buffer.from(sha512, "base64").toString("hex");
    const purl = npmPurl(called, version);
    return [{ path, name: called, version, purl, hash, dependencies: Object.keys(dependencies) }];
  });
}

/** The crates of a Cargo.lock that come from elsewhere: `purl`, `sha256` as `hash`, and the names of `dependencies`. */
export function cargoPackages(text) {
  return text.split(/^\[\[package\]\]$/m).flatMap((part) => {
    const value = (key) => new RegExp(`^${key} = "([^"]*)"`, "m").exec(part)?.[1];
    const [name, version, hash] = ["name", "version", "checksum"].map(value);
    if (name === undefined || hash === undefined) return [];
    const [, list = ""] = /^dependencies = \[([^\]]*)\]/m.exec(part) ?? [];
    const dependencies = [...list.matchAll(/"([^" ]+)[^"]*"/g)].map(([, other]) => other);
    return [{ name, version, purl: `pkg:cargo/${name}@${version}`, hash, dependencies }];
  });
}

/** The purl of an npm package. */
export function npmPurl(name, version) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

async function json(file) {
  return JSON.parse(await readFile(file, "utf8"));
}
