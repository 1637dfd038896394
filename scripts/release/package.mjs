// npm run package [-- --only npm,archives,vsix,zed] [--platform NAME ...] [--out FOLDER]
// Makes everything that a release consists of, on one machine for all platforms: the same sources give the same bytes.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensureBundled, fail, root, run } from "../set-up.mjs";
import { checksumsName, sha256Of } from "./checksums.mjs";
import { product } from "./identity.mjs";
import { platforms } from "./platforms.mjs";

const usual = join(root, "dist/release");
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    platform: { type: "string", multiple: true },
    out: { type: "string", default: usual },
  },
});
const out = resolve(values.out);
await refuseOthersFiles();
const rows = platforms.filter(({ name }) => values.platform?.includes(name) ?? true);
const strange = values.platform?.find((name) => !platforms.some((row) => row.name === name));
if (strange !== undefined) fail(`"${strange}" is no platform: ${platforms.map(({ name }) => name).join(", ")}.`);

/** What is made, by the name that `--only` takes. Each step returns the names of its files in `out`. */
const steps = {
  npm: async () => [await (await import("./npm-package.mjs")).packNpm(out)],
  archives: makeArchives,
  vsix: makeVsix,
  zed: makeZed,
};
const wanted = values.only?.split(",") ?? Object.keys(steps);
for (const name of wanted) {
  if (!Object.hasOwn(steps, name)) fail(`"${name}" is no part of a release: ${Object.keys(steps).join(", ")}.`);
}

ensureBundled();
if (run("node", [join(root, "scripts/bundle-extension.mjs")]) !== 0) fail("The bundle failed: see above.");
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const files = [];
for (const name of wanted) files.push(...(await steps[name]()));
files.push(...(await writeBillsOfMaterials(files)));
await writeChecksums(files.sort());

async function makeArchives() {
  const { buildExecutable } = await import("./executables.mjs");
  const { writeArchive } = await import("./archives.mjs");
  const { bundledPackages, bundles, thirdPartyNotices } = await import("./bundled-packages.mjs");
  const { executableRuntime } = await import("./executable-runtime.mjs");
  const notices = thirdPartyNotices([executableRuntime, ...(await bundledPackages(bundles.command))]);
  const staging = await mkdtemp(join(out, "executables-"));
  try {
    for (const row of rows) {
      const executable = await buildExecutable(row, staging);
      const folder = join(staging, row.name);
      for (const name of ["README.md", "LICENSE"]) await cp(join(root, name), join(folder, name));
      await writeFile(join(folder, "THIRD_PARTY_NOTICES.txt"), notices);
      const names = (await readdir(folder)).sort().map((name) => join(folder, name));
      await writeArchive(join(out, row.archive), names, { executables: [executable] });
      await rm(folder, { recursive: true });
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return rows.map(({ archive }) => archive);
}

async function makeVsix() {
  const { packageVsix } = await import("./vsix.mjs");
  const targets = [undefined, ...rows.map(({ vsix }) => vsix)];
  const names = [];
  for (const target of targets) {
    const name = `${product.id}-${target === undefined ? "" : `${target}-`}${version}.vsix`;
    await packageVsix({ file: join(out, name), version, target });
    names.push(name);
  }
  return names;
}

/** Writes the files for Zed's galleries and the ACP Registry, with checksums of the archives from this run. Returns their names. */
async function makeZed() {
  const { registryEntry } = await import("./registry-entry.mjs");
  const { extensionManifest } = await import("./extension-manifest.mjs");
  const made = rows.map(({ archive }) => archive).filter((archive) => wanted.includes("archives") && archive);
  const sums = Object.fromEntries(await Promise.all(made.map(async (name) => [name, await sha256Of(join(out, name))])));
  const texts = {
    "acp-registry-agent.json": `${JSON.stringify(registryEntry(version, sums), undefined, 2)}\n`,
    "zed-extension.toml": extensionManifest(version, sums),
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(out, name), text);
  return Object.keys(texts);
}

/** Writes a bill of materials beside each file with code, and one for the crates of Zed's extensions. */
async function writeBillsOfMaterials(names) {
  const { billOfMaterials, crateParts, npmParts, runtimePart } = await import("./bill-of-materials.mjs");
  const { bundledPackages, bundles } = await import("./bundled-packages.mjs");
  const { executableRuntime } = await import("./executable-runtime.mjs");
  const command = await npmParts(await bundledPackages(bundles.command));
  const all = await npmParts(await bundledPackages(bundles.command, bundles.extension));
  const partsOf = async (name) => {
    const row = rows.find(({ archive }) => archive === name);
    if (row !== undefined) return [await runtimePart(row, executableRuntime), ...command];
    if (name.endsWith(".tgz")) return command;
    return name.endsWith(".vsix") ? all : undefined;
  };
  const made = [];
  for (const name of names) {
    const parts = await partsOf(name);
    if (parts === undefined) continue;
    made.push(await write(name, await sha256Of(join(out, name)), parts));
  }
  for (const crate of names.includes("zed-extension.toml") ? ["context-server", "language-models"] : [])
    made.push(
      await write(
        `zed-${crate}`,
        await sha256Of(join(root, "zed-extension", crate, "Cargo.lock")),
        await crateParts(crate),
      ),
    );
  return made;

  async function write(name, sha256, parts) {
    const bill = billOfMaterials({ name, version, sha256, parts });
    await writeFile(join(out, `${name}.cdx.json`), `${JSON.stringify(bill, undefined, 2)}\n`);
    return `${name}.cdx.json`;
  }
}

/** What is in the folder of a release is replaced by the next one; what others keep elsewhere never is. */
async function refuseOthersFiles() {
  if (out === usual) return;
  const names = await readdir(out).catch((error) => (error.code === "ENOENT" ? [] : fail(error.message)));
  if (names.length > 0 && !names.includes(checksumsName))
    fail(`${out} has files that are no release, and would be emptied: name a new folder.`);
}

async function writeChecksums(names) {
  const lines = await Promise.all(names.map(async (name) => `${await sha256Of(join(out, name))}  ${name}\n`));
  await writeFile(join(out, checksumsName), lines.join(""));
  console.log(lines.join(""));
}
