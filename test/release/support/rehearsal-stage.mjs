import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { create } from "tar";
import { ZipFile } from "yazl";
import { checksumsName, sha256Of } from "../../../scripts/release/checksums.mjs";
import { extensionId, product } from "../../../scripts/release/identity.mjs";
import { packageFolders } from "../../../scripts/release/version.mjs";
import { startRehearsal } from "../../../scripts/workflows/rehearsal.mjs";
import { publicThings } from "../../../scripts/workflows/rehearse-release.mjs";
import { runWorkflow } from "../../../scripts/workflows/workflow-run.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const version = "99.0.0";
const parts = [
  ...["scripts", "zed-extension", "LICENSE", "package-lock.json", ".github/workflows"],
  ...["", ...packageFolders].map((folder) => join(folder, "package.json")),
];
/** All jobs but those that package and try, whose files are made here. */
export const jobs = ["draft", "attest", "upload", "check", "show", "publish", "site"];
const archive = "symposium-linux-x64.tar.gz";
const vsix = ["", "linux-x64-"].map((target) => `${product.id}-${target}${version}.vsix`);
const tgz = `${product.command}-${version}.tgz`;

/** Everything that a whole release makes public. */
export const everything = {
  release: [checksumsName, archive, tgz, ...vsix].sort(),
  npm: [version],
  marketplace: ["all", "linux-x64"],
  openVsx: ["universal", "linux-x64"],
  site: ["index.html"],
};
export const nothing = { release: [], npm: [], marketplace: [], openVsx: [], site: [] };

/** A small repository with the real workflow and scripts, released as 99.0.0, and small packages for it. */
export class RehearsalStage {
  static async create() {
    const folder = await mkdtemp(join(tmpdir(), "symposium-stage-"));
    const repository = join(folder, "repository");
    const listed = git(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...parts], root);
    for (const name of new Set(listed.split("\0").filter((text) => text !== ""))) {
      await mkdir(dirname(join(repository, name)), { recursive: true });
      await cp(join(root, name), join(repository, name)).catch(ignoreMissing);
    }
    await writeFile(join(repository, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n- A thing.\n");
    const manifest = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
    manifest.scripts.docs = "mkdir dist-docs && echo page >dist-docs/index.html";
    await writeFile(join(repository, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    git(["init", "--quiet"], repository);
    commit(repository);
    const made = spawnSync("node", [join(repository, "scripts/release/release.mjs"), version], { encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
    commit(repository);
    await makePackages(join(folder, "packages"));
    return new RehearsalStage(folder, repository);
  }

  constructor(folder, repository) {
    this.folder = folder;
    this.repository = repository;
  }

  /** Starts a rehearsal in which nothing is published yet. */
  async start(options = {}) {
    const place = await mkdtemp(join(this.folder, "run-"));
    const rehearsal = await startRehearsal({
      folder: place,
      failure: (step) => this.failure?.(step) ?? false,
      ...options,
    });
    await cp(join(this.folder, "packages"), join(place, "artifacts/release"), { recursive: true });
    const releases = join(place, "releases");
    const run = async () => {
      const done = await runWorkflow(join(this.repository, ".github/workflows/release.yml"), {
        ...{ repository: this.repository, tag: `v${version}`, jobs, rehearsal, releases },
        artifacts: join(place, "artifacts"),
      });
      return Object.fromEntries(done.map(({ name, result }) => [name, result]));
    };
    return { rehearsal, run, isPublic: () => publicThings({ rehearsal, releases, version }) };
  }

  async remove() {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function makePackages(folder) {
  await mkdir(join(folder, "package"), { recursive: true });
  await writeFile(join(folder, "package/package.json"), JSON.stringify({ name: product.npmPackage, version }));
  await create({ cwd: folder, file: join(folder, tgz), gzip: true, portable: true }, ["package"]);
  await rm(join(folder, "package"), { recursive: true });
  await writeFile(join(folder, archive), "an archive");
  for (const name of vsix) await writeVsix(join(folder, name), name.includes("linux") ? "linux-x64" : undefined);
  const names = [archive, tgz, ...vsix].sort();
  const lines = await Promise.all(names.map(async (name) => `${await sha256Of(join(folder, name))}  ${name}\n`));
  await writeFile(join(folder, checksumsName), lines.join(""));
}

async function writeVsix(file, target) {
  const [publisher, name] = extensionId.split(".");
  const manifest = { publisher, name, version, displayName: product.name, engines: { vscode: "^1.106.0" } };
  const platform = target === undefined ? "" : ` TargetPlatform="${target}"`;
  const identity = `<Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"${platform}/>`;
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(JSON.stringify(manifest)), "extension/package.json");
  zip.addBuffer(
    Buffer.from(`<?xml version="1.0"?><PackageManifest><Metadata>${identity}</Metadata></PackageManifest>`),
    "extension.vsixmanifest",
  );
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

function commit(repository) {
  git(["add", "."], repository);
  git(["-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "--message", "one"], repository);
}

function git(words, cwd) {
  const { status, stdout, stderr } = spawnSync("git", words, { cwd, encoding: "utf8", maxBuffer: 2 ** 26 });
  assert.equal(status, 0, `git ${words.join(" ")}: ${stderr}`);
  return stdout;
}

function ignoreMissing(error) {
  if (error.code !== "ENOENT") throw error;
}
