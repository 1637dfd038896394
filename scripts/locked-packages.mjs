// Packages that only some scripts need. Each is installed once, in its own folder below a cache. A tool's package.json and
// package-lock.json list its packages with their checksums, so npm runs only code that somebody chose.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./set-up.mjs";

/** Installs the tools that the folder `tools` locks, and other packages, into the folder `cache`. */
export class LockedPackages {
  constructor({ tools, cache }) {
    this.tools = tools;
    this.cache = cache;
  }

  /** The text of `package.json` or `package-lock.json` of a tool. */
  read(tool, file) {
    return readFileSync(join(this.tools, tool, file), "utf8");
  }

  /** The folder of the package `name` in `tool`, beside those that it needs. Throws when npm cannot install it. */
  async tool(tool, name = tool) {
    const [manifest, lock] = ["package.json", "package-lock.json"].map((file) => this.read(tool, file));
    const { version } = JSON.parse(lock).packages[`node_modules/${name}`];
    const sum = createHash("sha256").update(lock).digest("hex").slice(0, 8);
    return this.#installed(name, `${version}-${sum}`, { manifest, lock });
  }

  /** The folder of one package of `tool` alone, which needs no other; whatever platform it says it is for. */
  async part(tool, name) {
    const entry = JSON.parse(this.read(tool, "package-lock.json")).packages[`node_modules/${name}`];
    const wanted = { private: true, dependencies: { [name]: entry.version } };
    const lock = { lockfileVersion: 3, requires: true, packages: { "": wanted, [`node_modules/${name}`]: entry } };
    return this.#installed(name, entry.version, { manifest: JSON.stringify(wanted), lock: JSON.stringify(lock) });
  }

  /** The folder of a package in `version`, which no tool locks. */
  async version(name, version) {
    const manifest = JSON.stringify({ private: true, dependencies: { [name]: version } });
    return this.#installed(name, version, { manifest });
  }

  async #installed(name, label, { manifest, lock }) {
    const place = join(this.cache, `${name.replace("/", "+")}-${label}`);
    const folder = join(place, "node_modules", name);
    if (existsSync(folder)) return folder;
    const staging = `${place}.${process.pid}`;
    await mkdir(staging, { recursive: true });
    await writeFile(join(staging, "package.json"), manifest);
    if (lock !== undefined) await writeFile(join(staging, "package-lock.json"), lock);
    const options = ["--ignore-scripts", "--force", "--no-audit", "--no-fund", "--loglevel=error"];
    // Below a link, npm ci takes the folder for a package that the lock lacks.
    const words = [lock === undefined ? "install" : "ci", "--prefix", await realpath(staging), ...options];
    if (run("npm", words, { quiet: true }) !== 0) {
      await rm(staging, { recursive: true, force: true });
      throw new Error(`npm cannot install ${name} ${label}: see above.`);
    }
    await rename(staging, place).catch(async (error) => {
      // Another run was first.
      await rm(staging, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    });
    return folder;
  }
}
