import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { checksumsName } from "../../../scripts/release/checksums.mjs";
import { extensionManifest } from "../../../scripts/release/extension-manifest.mjs";
import { product } from "../../../scripts/release/identity.mjs";
import { platforms } from "../../../scripts/release/platforms.mjs";
import { registryEntry } from "../../../scripts/release/registry-entry.mjs";
import { bunRuntime } from "../../../scripts/release/release-tools.mjs";
import {
  here,
  names,
  newFolder,
  packageRelease,
  releaseFolder,
  root,
  run,
  unpackedExecutable,
  unpackedNpm,
  version,
} from "../support/artifacts.mjs";
import { contentsOfPackage } from "../support/package-contents.mjs";
import { strangeContents } from "../support/strange-contents.mjs";
import { passesSuites } from "../support/suites.mjs";

const limitMs = 800_000;

describe("the packages of a release", function () {
  this.timeout(limitMs);
  let folder;
  /** The contents of each file of the release, by its name. */
  const packages = new Map();
  before(async () => {
    folder = await releaseFolder();
    for (const name of (await readdir(folder)).sort()) packages.set(name, await inspected(name));
  });

  /** The paths in a package, its notices and its strange contents; the bytes of an executable are too large to keep. */
  async function inspected(name) {
    const files = await contentsOfPackage(join(folder, name));
    const secrets = [root.slice(0, -1), homedir(), ...secretsOf(process.env)].filter((text) => text.length > 6);
    const row = platforms.find(({ archive }) => archive === name);
    const runtime = row === undefined ? undefined : await readFile(await bunRuntime(row.bun.package));
    return {
      paths: /\.(?:vsix|zip|tgz|gz)$/.test(name) ? [...files.keys()] : [],
      notices: [...files].flatMap(([path, bytes]) => (/THIRD_PARTY_NOTICES/.test(path) ? [String(bytes)] : [])),
      strange: strangeContents(files, runtime === undefined ? { secrets } : { secrets, runtime }),
    };
  }

  it("have the same bytes when somebody with another time zone, language and umask makes them again", async () => {
    const windows = platforms.find(({ name }) => name === "windows-x64");
    const words = process.platform === "win32" ? [] : ["sh", "-c", 'umask 077; exec "$@"', "sh"];
    const env = { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", SOURCE_DATE_EPOCH: "1700000000" };
    const again = packageRelease(await newFolder("again"), { only: [here, windows], words, env });
    const sums = await sumsOf(again);
    const expected = await sumsOf(folder);
    // The files for Zed and the ACP Registry contain the checksums of the archives of their run.
    const archiveSums = Object.fromEntries([here, windows].map(({ archive }) => [archive, expected.get(archive)]));
    const texts = {
      "acp-registry-agent.json": `${JSON.stringify(registryEntry(version, archiveSums), undefined, 2)}\n`,
      "zed-extension.toml": extensionManifest(version, archiveSums),
    };
    for (const [name, text] of Object.entries(texts)) assert.equal(await readFile(join(again, name), "utf8"), text);
    for (const name of Object.keys(texts)) sums.delete(name);
    const isCompared = (name) => !(name in texts) && isFor([here, windows], name);
    assert.deepEqual(sums, new Map([...expected].filter(([name]) => isCompared(name))));
  });

  it("consist of the listed files, and no others", async () => {
    const golden = join(root, "test/release/artifacts/golden/contents.txt");
    const found = listing(packages);
    if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(golden, found);
    assert.equal(found, await readFile(golden, "utf8"));
  });

  it("have the same files in the archive of every platform", () => {
    const pathsOf = ({ archive, executable }) =>
      packages
        .get(archive)
        .paths.map((path) => (path === executable ? product.command : path))
        .sort();
    for (const row of platforms) assert.deepEqual(pathsOf(row), pathsOf(here), row.name);
  });

  it("contain no source, no test, no secret and no path of the machine that made them", () => {
    for (const [name, { strange }] of packages) assert.deepEqual(strange, [], name);
  });

  it("have an executable that needs nothing else, and does what the command does", async () => {
    passesSuites(await unpackedExecutable(here));
  });

  it("have an npm package that installs without a network, and starts by its name", async () => {
    const place = await newFolder("installed");
    const options = ["--offline", "--no-audit", "--no-fund", "--prefix", place];
    run(["npm", "install", ...options, join(folder, names.npm)]);
    const words = ["npm", "exec", "--offline", "--prefix", place, "--", product.command, "--version"];
    assert.equal(run(words).trim(), `${product.command} ${version}`);
  });

  it("have the bundled command, file by file, in the npm package and in the extension", async () => {
    const bundled = await filesBelow(join(root, "core/dist/bin"));
    assert.deepEqual(await filesBelow(join(await unpackedNpm(), "bin")), bundled);
    const inVsix = [...(await contentsOfPackage(join(folder, names.vsix)))]
      .filter(([path]) => path.startsWith("extension/bin/"))
      .map(([path, bytes]) => [path.slice("extension/bin/".length), bytes]);
    assert.deepEqual(new Map(inVsix.sort()), bundled);
  });

  it("list the licences of everything in them, and of the runtime in the executables alone", async () => {
    const withRuntime = [];
    for (const [name, { paths, notices }] of packages) {
      if (paths.length === 0) continue;
      assert.match(notices[0], /^jsonc-parser \d\S* \(MIT\)$/m, name);
      if (/^bun \d\S* \(MIT\)$/m.test(notices[0])) withRuntime.push(name);
    }
    assert.deepEqual(withRuntime.sort(), platforms.map(({ archive }) => archive).sort());
  });

  it("have a bill of materials each, with its checksum and the runtime's, and one for each crate", async () => {
    const bills = [...packages.keys()].filter((name) => name.endsWith(".cdx.json"));
    const described = await Promise.all(
      bills.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8"))),
    );
    const withCode = [...packages.keys()].filter((name) => /\.(?:tgz|vsix|tar\.gz|zip)$/.test(name));
    const crates = ["zed-context-server", "zed-language-models"];
    assert.deepEqual(bills.sort(), [...withCode, ...crates].map((name) => `${name}.cdx.json`).sort());
    assert.equal(new Set(described.map(({ serialNumber }) => serialNumber)).size, bills.length);
    const sums = await sumsOf(folder);
    for (const { metadata, components, dependencies } of described) {
      const { name, hashes } = metadata.component;
      if (!crates.includes(name)) assert.equal(hashes[0].content, sums.get(name), name);
      const hasBun = components.some((component) => component.name === "bun" && component.hashes?.length === 1);
      assert.equal(
        hasBun,
        platforms.some(({ archive }) => archive === name),
        name,
      );
      assert.deepEqual(
        components.filter((component) => component.hashes === undefined).map((component) => component.name),
        [],
      );
      assert.equal(dependencies.length, components.length + 1, name);
    }
  });
});

/** The bytes of the files below a folder, by their paths in it, sorted. */
async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = files.map(async (file) => [
    file.slice(folder.length + 1).replaceAll("\\", "/"),
    await readFile(file),
  ]);
  return new Map((await Promise.all(contents)).sort());
}

/** Every file of every package for this machine and for all. Chunks, whose names change with the code, are one line. */
function listing(packages) {
  const parts = [...packages]
    .filter(([name]) => isFor([here], name))
    .map(([name, { paths }]) => {
      const plain = paths.map((path) => path.replace(/(?<=\/bin\/chunks\/)[\w-]+-[A-Z0-9]{8}(?=\.cjs$)/, "*"));
      const lines = [...new Set(plain)].sort().map((path) => `  ${path}\n`);
      return `${name.replace(version, "VERSION").replace(here.name, "PLATFORM")}\n${lines.join("")}`;
    });
  return parts.join("");
}

/** Whether a file of a release is for one of these platforms or for all. */
function isFor(rows, name) {
  const others = platforms.filter((row) => !rows.includes(row));
  const file = name.replace(/\.cdx\.json$/, "");
  return !others.some(({ archive, vsix }) => [archive, `${product.id}-${vsix}-${version}.vsix`].includes(file));
}

/** The checksums in a release's folder, by file name. */
async function sumsOf(release) {
  const lines = (await readFile(join(release, checksumsName), "utf8")).trimEnd().split("\n");
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/** The values of variables whose names say that they are secrets. */
function secretsOf(env) {
  const isSecret = (name) => /(?:TOKEN|SECRET|PASSWORD|API_?KEY|_PAT)$/i.test(name);
  return Object.entries(env).flatMap(([name, value]) => (isSecret(name) && value.length > 11 ? [value] : []));
}
