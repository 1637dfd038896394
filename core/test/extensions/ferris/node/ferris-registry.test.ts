import assert from "node:assert/strict";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ferrisServices } from "../../../../src/extensions/ferris/node.js";
import { trusting } from "../../../../testing/scripted-client.js";
import { leaveOut } from "../../../needs-cargo.js";
import { copiedWorkspace, emptyFolder, fixtureWorkspace, toolsIn } from "./ferris-stage.js";

/** A package in `folder` that depends on the crate itoa. */
async function writePackage(folder: string): Promise<void> {
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "src/lib.rs"), "");
  const manifest =
    '[package]\nname = "user"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\nnumbers = { package = "itoa", version = "0.4.7" }\n';
  await writeFile(join(folder, "Cargo.toml"), manifest);
}

describe("ferris: crates of the registry", function () {
  this.timeout(300_000);
  const call = toolsIn(fixtureWorkspace);
  before(async function () {
    const { isError, text } = await call("crate_sources", { crate_name: "itoa", version: "=1.0.15" });
    // Not a fault of ours: this machine has no Rust, or cannot reach a registry.
    if (isError) leaveOut(this, `cargo cannot download: ${text}`);
  });

  it("downloads what the workspace does not have, through cargo, and leaves nothing but the sources", async () => {
    const { text } = await call("crate_sources", { crate_name: "itoa", version: "=1.0.15" });
    assert.match(
      text,
      /^itoa 1\.0\.15: it is the newest that satisfies "=1\.0\.15"\. The Cargo\.lock of this workspace does not list/,
    );
    const path = /^Sources: (.*)$/m.exec(text)?.[1] ?? "";
    await access(join(path, "src/lib.rs"));
  });

  it("takes the newest of a range, and the latest without one", async () => {
    assert.match((await call("crate_sources", { crate_name: "itoa", version: "0.4" })).text, /^itoa 0\.4\.8: /);
    assert.match(
      (await call("crate_sources", { crate_name: "itoa" })).text,
      /^itoa [1-9].*: it is the latest release\./,
    );
  });

  it("works where there is no workspace, and says so", async () => {
    await using folder = await emptyFolder();
    const { text } = await toolsIn(folder.path)("crate_sources", { crate_name: "itoa", version: "0.4" });
    assert.match(text, new RegExp(`There is no Cargo\\.toml in ${folder.path} or above it\\.`));
  });

  it("takes the version that Cargo.toml asks for when nothing is locked, and locks nothing", async () => {
    await using folder = await emptyFolder();
    await writePackage(folder.path);
    const { text } = await toolsIn(folder.path)("crate_sources", { crate_name: "numbers" });
    assert.match(
      text,
      /^itoa 0\.4\.8: it is the newest that satisfies "\^0\.4\.7", as the workspace's Cargo\.toml requires\. No version is locked: the Cargo\.lock is missing/,
    );
    await assert.rejects(access(join(folder.path, "Cargo.lock")));
  });

  it("looks past the lock when the latest is asked for", async () => {
    const { text } = await call("crate_sources", { crate_name: "itoa", version: "latest" });
    assert.match(text, /it is the latest release\./);
  });

  const bad: [what: string, args: Readonly<Record<string, unknown>>, text: RegExp][] = [
    [
      "an unknown crate",
      { crate_name: "no-such-crate-of-ferris" },
      /^cargo cannot provide the crate "no-such-crate-of-ferris": no matching package.* Check the spelling/,
    ],
    [
      "an impossible range",
      { crate_name: "itoa", version: ">=900" },
      /^cargo cannot provide ">=900" of the crate "itoa": failed to select a version.*candidate versions.* Pass an existing version/,
    ],
    ["a range that contradicts itself", { crate_name: "itoa", version: ">2, <1" }, /failed to select a version/],
    ["a version that does not exist", { crate_name: "itoa", version: "=0.4.99" }, /failed to select a version/],
  ];
  for (const [what, args, expected] of bad) {
    it(`reports ${what} with what cargo said`, async () => {
      const { text, isError } = await call("crate_sources", args);
      assert.match(text, expected);
      assert.equal(isError, true);
    });
  }

  it("stays offline when cargo is told to, and says what to do", async () => {
    await using home = await emptyFolder();
    await using workspace = await copiedWorkspace();
    const env = { ...process.env, CARGO_NET_OFFLINE: "true", CARGO_HOME: home.path };
    const { text, isError } = await toolsIn(workspace.path, ferrisServices(trusting(), env))("crate_sources", {
      crate_name: "itoa",
    });
    assert.match(text, /^cargo cannot provide the crate "itoa": .*offline.* Go online/);
    assert.equal(isError, true);
  });
});
