import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { extract } from "tar";
import { platforms, product } from "../../scripts/release/platforms.mjs";
import { bunRuntime } from "../../scripts/release/release-tools.mjs";
import { contentsOfPackage } from "./support/package-contents.mjs";
import { strangeContents } from "./support/strange-contents.mjs";
import { passesSuites } from "./support/suites.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const here = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const archiveName = `symposium-${here}.${process.platform === "win32" ? "zip" : "tar.gz"}`;
const packLimitMs = 600_000;
const suiteLimitMs = 800_000;

describe("the packages of a release", function () {
  this.timeout(suiteLimitMs);
  let folder;
  let first;

  before(async function () {
    this.timeout(packLimitMs);
    folder = await mkdtemp(join(tmpdir(), "symposium-release-"));
    first = await pack("first");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function pack(name, before = [], env = {}) {
    const out = join(folder, name);
    const [program, ...words] = [...before, "node", "scripts/release/package.mjs", "--platform", here, "--out", out];
    run(program, words, { env });
    return out;
  }

  function run(program, words, { env = {}, cwd = root } = {}) {
    const result = spawnSync(program, words, { cwd, encoding: "utf8", env: { ...process.env, ...env } });
    assert.equal(result.status, 0, `${program} ${words.join(" ")}:\n${result.stdout}\n${result.stderr}`);
    return result.stdout;
  }

  it("have the same bytes when they are made again, by somebody with another time zone, language and umask", async () => {
    const sums = (out) => readFile(join(out, "SHA256SUMS"), "utf8");
    const strict = process.platform === "win32" ? [] : ["sh", "-c", 'umask 077; exec "$@"', "sh"];
    const elsewhere = { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", SOURCE_DATE_EPOCH: "1700000000" };
    assert.equal(await sums(await pack("second", strict, elsewhere)), await sums(first));
  });

  it("consist of the files that are listed, and no others", async () => {
    const golden = join(root, "test/release/golden/contents.txt");
    const found = await listing(first);
    if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(golden, found);
    assert.equal(found, await readFile(golden, "utf8"));
  });

  it("contain no source, no test, no secret and no path of the machine that they were made on", async () => {
    const runtime = await readFile(await bunRuntime(platforms.find(({ name }) => name === here).bun.package));
    const secrets = [root.slice(0, -1), homedir(), ...secretsOf(process.env)].filter((text) => text.length > 6);
    for (const name of await readdir(first)) {
      const files = await contentsOfPackage(join(first, name));
      const options = name === archiveName ? { secrets, runtime } : { secrets };
      assert.deepEqual(strangeContents(files, options), [], name);
    }
  });

  it("have an executable that needs nothing else, and does what the command does", async () => {
    const place = join(folder, "executable");
    await mkdir(place);
    if (archiveName.endsWith(".zip")) run("tar", ["-xf", join(first, archiveName), "-C", place]);
    else await extract({ file: join(first, archiveName), cwd: place });
    passesSuites(join(place, process.platform === "win32" ? `${product.command}.exe` : product.command));
  });

  it("have an npm package that does what the command does", async () => {
    passesSuites(join(await unpackedNpm(), "bin", `${product.command}.mjs`));
  });

  it("have an npm package that installs without a network, and starts by its name", async () => {
    const place = join(folder, "installed");
    await mkdir(place);
    const [name] = (await readdir(first)).filter((file) => file.endsWith(".tgz"));
    const options = ["--offline", "--no-audit", "--no-fund", "--prefix", place];
    run("npm", ["install", ...options, join(first, name)]);
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const words = ["exec", "--offline", "--prefix", place, "--", product.command, "--version"];
    assert.equal(run("npm", words).trim(), `${product.command} ${version}`);
  });

  it("have the command of the npm package in the extension, file by file", async () => {
    const unpacked = await unpackedNpm();
    const [name] = (await readdir(first)).filter((file) => file.endsWith(".vsix"));
    const inVsix = await contentsOfPackage(join(first, name));
    const names = (await readdir(join(unpacked, "bin"), { recursive: true, withFileTypes: true }))
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name));
    assert.equal([...inVsix.keys()].filter((path) => path.startsWith("extension/bin/")).length, names.length);
    for (const file of names) {
      const path = `extension/${file.slice(unpacked.length + 1).replaceAll("\\", "/")}`;
      assert.ok((await readFile(file)).equals(inVsix.get(path) ?? Buffer.alloc(0)), path);
    }
  });

  it("are refused for a platform or a part that there is none of", () => {
    for (const words of [
      ["--platform", "amiga"],
      ["--only", "floppy"],
    ]) {
      const { status, stderr } = spawnSync("node", ["scripts/release/package.mjs", ...words], {
        cwd: root,
        encoding: "utf8",
      });
      assert.equal(status, 1);
      assert.match(stderr, /^"(?:amiga|floppy)" is no p[^:]+: .+\.$/m);
    }
  });

  it("are not made in a folder that has other files", async () => {
    const out = join(folder, "notes");
    await mkdir(out);
    await writeFile(join(out, "notes.txt"), "mine");
    const words = ["scripts/release/package.mjs", "--only", "npm", "--out", out];
    const { status, stderr } = spawnSync("node", words, { cwd: root, encoding: "utf8" });
    assert.deepEqual(
      [status, stderr],
      [1, `${out} has files that are no release, and would be emptied: name a new folder.\n`],
    );
    assert.deepEqual(await readdir(out), ["notes.txt"]);
  });

  it("name the licences of all that is in them, and the runtime in the executables alone", async () => {
    const named = [];
    for (const name of (await readdir(first)).filter((file) => /\.(?:vsix|tgz|gz|zip)$/.test(file))) {
      const files = await contentsOfPackage(join(first, name));
      const [notices] = [...files].flatMap(([path, bytes]) =>
        /THIRD_PARTY_NOTICES/.test(path) ? [String(bytes)] : [],
      );
      assert.match(notices, /^jsonc-parser \d\S* \(MIT\)$/m, name);
      if (/^bun \d\S* \(MIT\)$/m.test(notices)) named.push(name);
    }
    const [bill] = (await readdir(first)).filter((file) => file.endsWith(".cdx.json"));
    const { components } = JSON.parse(await readFile(join(first, bill), "utf8"));
    assert.deepEqual([named, components.some(({ name }) => name === "bun")], [[archiveName], true]);
  });

  async function unpackedNpm() {
    const place = join(folder, "npm");
    const [name] = (await readdir(first)).filter((file) => file.endsWith(".tgz"));
    await mkdir(place, { recursive: true });
    await extract({ file: join(first, name), cwd: place });
    return join(place, "package");
  }
});

/** Every file of every package, sorted; chunks without their hashes, which say no more than that the code is another. */
async function listing(out) {
  const version = /-(\d+\.\d+\.\d+)\.tgz$/m.exec((await readdir(out)).join("\n"))?.[1] ?? assert.fail("no tgz");
  const parts = [];
  for (const name of (await readdir(out)).sort()) {
    const isPackage = /\.(?:vsix|zip|tgz|gz)$/.test(name);
    const entries = isPackage ? [...(await contentsOfPackage(join(out, name))).keys()] : [];
    const plain = entries.map((entry) => entry.replace(/-[A-Z0-9]{8}(?=\.cjs$)/, ""));
    const lines = [...new Set(plain)].sort().map((entry) => `  ${entry}\n`);
    parts.push(`${name.replace(version, "VERSION").replace(here, "PLATFORM")}\n${lines.join("")}`);
  }
  return parts.join("");
}

/** The values of variables that are somebody's secrets by their names. */
function secretsOf(env) {
  const isSecret = (name) => /(?:TOKEN|SECRET|PASSWORD|API_?KEY|_PAT)$/i.test(name);
  return Object.entries(env).flatMap(([name, value]) => (isSecret(name) && value.length > 11 ? [value] : []));
}
