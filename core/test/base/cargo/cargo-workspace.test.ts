import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { metadataFromFiles } from "../../../src/base/cargo/node/metadata-from-files.js";
import { readCargoPackages } from "../../../src/agents/recommendations/crate-metadata.js";
import { ferrisServices } from "../../../src/extensions/ferris/node.js";
import { FolderTrust } from "../../../src/settings/trust/folder-trust.js";
import { copiedWorkspace, emptyFolder, type Folder, toolsIn } from "../../extensions/ferris/node/ferris-stage.js";

const crates = "registry+https://github.com/rust-lang/crates.io-index";
const args = ["metadata", "--locked", "--format-version", "1"];

describe("a cargo workspace that is read from its files", () => {
  let folder: Folder;
  beforeEach(async () => (folder = await emptyFolder()));
  afterEach(() => folder[Symbol.asyncDispose]());

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder.path, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  }

  const distrusting = (): FolderTrust =>
    new FolderTrust({
      realPath: (path) => Promise.resolve(path),
      has: () => Promise.resolve(false),
      add: () => Promise.resolve(),
      isRefused: () => Promise.resolve(false),
      refuse: () => Promise.resolve(),
    });

  it("has the locked crates, and what those recommend that cargo has unpacked", async () => {
    await write({
      "w/Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
      "w/crates/app/Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\n[dependencies]\nspeaker = "1"\n',
      "w/Cargo.lock": [
        'version = 4\n[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = ["speaker"]',
        `[[package]]\nname = "speaker"\nversion = "1.2.3"\nsource = "${crates}"\ndependencies = ["absent"]`,
        `[[package]]\nname = "absent"\nversion = "2.0.0"\nsource = "${crates}"\n`,
      ].join("\n"),
      "cargo/registry/src/index.crates.io-1/speaker-1.2.3/Cargo.toml":
        '[package]\nname = "speaker"\n[package.metadata.symposium]\nrecommended = ["helper"]\n',
    });
    const env = { CARGO_HOME: join(folder.path, "cargo") };
    const exit = await metadataFromFiles(args, join(folder.path, "w/crates/app"), env);
    const { used, speaking } = (exit.kind === "exited" && readCargoPackages(exit.stdout)) || {};
    assert.deepEqual(used, [
      { name: "absent", version: "2.0.0" },
      { name: "speaker", version: "1.2.3" },
    ]);
    assert.deepEqual(
      speaking?.map(({ name, symposium }) => [name, symposium]),
      [["speaker", { recommended: ["helper"] }]],
    );
  });

  for (const [files, problem] of [
    [{}, /could not find `Cargo\.toml`/],
    [{ "w/Cargo.toml": '[package]\nname = "a"\n' }, /--locked was passed/],
    [{ "w/Cargo.toml": '[package]\nname = "a"\n', "w/Cargo.lock": "[[" }, /failed to parse lock file/],
  ] as const) {
    it(`says as cargo does what is missing: ${problem.source}`, async () => {
      await write({ "w/other": "", ...files });
      const exit = await metadataFromFiles(args, join(folder.path, "w"), {});
      assert.match(exit.kind === "exited" ? exit.stderr : "", problem);
    });
  }

  it("shows Ferris the packages of the workspace at their locked versions, and cargo is not run", async () => {
    await using workspace = await copiedWorkspace();
    const services = ferrisServices(distrusting(), { ...process.env, PATH: folder.path });
    const { text, isError } = await toolsIn(workspace.path, services)("crate_sources", { crate_name: "greeter" });
    assert.equal(isError, false);
    assert.match(text, /greeter 0\.2\.0: [^]*greeter-0\.2/);
  });
});
