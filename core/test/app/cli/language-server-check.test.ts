import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkLanguageServers } from "../../../src/app/cli/doctor/tool-check.js";
import { trusting } from "../../../testing/scripted-client.js";
import { FolderTrust } from "../../../src/settings/trust/folder-trust.js";

const never = new AbortController().signal;

describe("doctor, about language servers", function () {
  this.timeout(60_000);
  const path = process.env["PATH"];
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "doctor-"));
  });
  afterEach(async () => {
    process.env["PATH"] = path;
    await rm(folder, { recursive: true });
  });

  it("names the one that a workspace lacks, and how it is installed", async () => {
    await writeFile(join(folder, "Cargo.toml"), '[package]\nname = "a"\nversion = "0.1.0"\n');
    await writeFile(join(folder, "lib.rs"), "");
    process.env["PATH"] = folder;
    const [finding, ...others] = await checkLanguageServers(folder, undefined, trusting(), never);
    assert.deepEqual([finding?.check, finding?.status, others], ["rust-analyzer", "warn", []]);
    assert.match(finding?.remedy ?? "", /rustup component add rust-analyzer/);
  });

  it("asks no program for its version in a folder that is not trusted, and names what trusts it", async () => {
    await writeFile(join(folder, "Cargo.toml"), '[package]\nname = "a"\nversion = "0.1.0"\n');
    await writeFile(join(folder, "lib.rs"), "");
    const nobody = { realPath: (path: string) => Promise.resolve(path), has: () => Promise.resolve(false) };
    const trust = new FolderTrust({
      ...nobody,
      add: () => Promise.resolve(),
      isRefused: () => Promise.resolve(false),
      refuse: () => Promise.resolve(),
    });
    const [finding] = await checkLanguageServers(folder, undefined, trust, never);
    assert.deepEqual(finding, {
      check: "rust-analyzer",
      status: "warn",
      missing: "language-server",
      text: `rust-analyzer can run project code, and ${folder} isn't trusted`,
      remedy: `If you trust its authors, run \`symposium-acp-agent trust ${folder}\`.`,
    });
  });

  it("tells nothing of languages that the workspace does not have", async () => {
    assert.deepEqual(await checkLanguageServers(folder, undefined, trusting(), never), []);
  });

  it("looks for none where IDE operations do not take part", async () => {
    await writeFile(join(folder, "lib.rs"), "");
    const entry = { name: "ide-operations", enabled: false };
    assert.deepEqual(await checkLanguageServers(folder, [entry], trusting(), never), []);
    assert.deepEqual(await checkLanguageServers(folder, [], trusting(), never), []);
  });
});
