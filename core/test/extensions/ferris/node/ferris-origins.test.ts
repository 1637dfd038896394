import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ferrisServices } from "../../../../src/extensions/ferris/node.js";
import { trusting } from "../../../../testing/scripted-client.js";
import { needsCargo } from "../../../needs-cargo.js";
import { folderWithRegistries, manifestOf, type Registries, writeRelease } from "./ferris-registries.js";
import { type Answer, emptyFolder, toolsIn } from "./ferris-stage.js";

const paint = (...versions: readonly string[]): { name: string; version: string }[] =>
  versions.map((version) => ({ name: "paint", version }));
/** Everyone's `paint` is somebody else's crate, and newer. */
const registries: Registries = { everyone: paint("1.2.0", "9.9.9"), house: paint("1.2.0", "1.3.0", "2.0.0") };
const user = (...dependencies: readonly string[]): Readonly<Record<string, string>> => ({
  "Cargo.toml": manifestOf("user", "1.0.0", ...dependencies),
  "src/lib.rs": "",
});
const housePaint = 'paint = { version = "=1.2.0", registry = "house" }';

async function stage(files: Readonly<Record<string, string>>, given = registries, isLocked = true) {
  const folder = await folderWithRegistries(given, files);
  if (isLocked)
    execFileSync("cargo", ["generate-lockfile", "--quiet"], { cwd: folder.path, env: folder.env, stdio: "pipe" });
  return {
    ...folder,
    sources: (crate: string, version?: string): Promise<Answer> =>
      folder.call("crate_sources", { crate_name: crate, ...(version !== undefined && { version }) }),
  };
}

describe("ferris: where a crate comes from", function () {
  this.timeout(120_000);
  before(function () {
    needsCargo(this);
  });

  describe("a private registry", () => {
    it("gives the locked version, and is named", async () => {
      await using folder = await stage(user(housePaint));
      const { text } = await folder.sources("paint");
      assert.match(text, /^paint 1\.2\.0: the Cargo\.lock of this workspace has it, from https:\/\/crates\.invalid\//);
    });

    it("is the only place where other versions are looked for", async () => {
      await using folder = await stage(user(housePaint));
      const where = " in the registry sparse+https://crates.invalid/index/. ";
      const answers = [await folder.sources("paint", "1.3"), await folder.sources("paint", "latest")];
      assert.deepEqual(
        answers.map(({ text }) => text.slice(0, text.indexOf("The Cargo.lock"))),
        [`paint 1.3.0: it is the newest that satisfies "1.3"${where}`, `paint 2.0.0: it is the latest release${where}`],
      );
    });

    it("is not replaced by the default one when it lacks the version", async () => {
      await using folder = await stage(user(housePaint));
      const { text, isError } = await folder.sources("paint", "=9.9.9");
      assert.match(text, /^cargo cannot provide "=9\.9\.9" of the crate "paint": failed to select a version/);
      assert.equal(isError, true);
    });

    it("counts too when the crate is asked for by the name it has in code", async () => {
      await using folder = await stage(
        user(housePaint.replace("paint =", "colour =").replace("{", '{ package = "paint",')),
      );
      assert.match((await folder.sources("colour")).text, /^paint 1\.2\.0: /);
      assert.match((await folder.sources("colour", "latest")).text, /^paint 2\.0\.0: /);
    });

    it("is asked for what Cargo.toml wants when nothing is locked", async () => {
      await using folder = await stage(user(housePaint.replace("=1.2.0", "1.2")), registries, false);
      assert.match(
        (await folder.sources("paint")).text,
        /^paint 1\.3\.0: it is the newest that satisfies "\^1\.2" in the registry sparse.*, as the workspace's Cargo\.toml requires/,
      );
      assert.match((await folder.sources("paint", "latest")).text, /^paint 2\.0\.0: /);
    });

    it("is asked even when cargo cannot read the whole workspace", async () => {
      await using folder = await stage({
        ...user(housePaint, 'other = { path = "other" }'),
        "other/Cargo.toml": manifestOf("other", "1.0.0"),
        "other/src/lib.rs": "",
      });
      await rm(join(folder.path, "other"), { recursive: true });
      assert.match((await folder.sources("paint", "2")).text, /^paint 2\.0\.0: /);
    });

    it("does not keep the default one from crates that both have and the workspace takes from both", async () => {
      await using folder = await stage(user(housePaint, 'gloss = { package = "paint", version = "9" }'));
      assert.match((await folder.sources("paint", "1")).text, /^paint 1\.2\.0: .*crates\.invalid/);
      assert.match(
        (await folder.sources("paint", "9")).text,
        /^paint 9\.9\.9: the Cargo\.lock of this workspace has it;/,
      );
      assert.match((await folder.sources("paint", "latest")).text, /^paint 9\.9\.9: it is the latest release\. /);
    });
  });

  it("takes a patched crate from where the patch says", async () => {
    await using folder = await stage({
      "Cargo.toml": `${manifestOf("user", "1.0.0", 'paint = "1"')}\n[patch.crates-io]\npaint = { path = "mine" }\n`,
      "src/lib.rs": "",
      "mine/Cargo.toml": manifestOf("paint", "1.2.7"),
      "mine/src/lib.rs": "",
    });
    const { text } = await folder.sources("paint");
    assert.match(text, /^paint 1\.2\.7: the Cargo\.lock of this workspace has it, from a local folder/);
    assert.ok(text.includes(`Sources: ${join(folder.path, "mine")}\n`), text);
    assert.match((await folder.sources("paint", "9")).text, /^paint 9\.9\.9: /);
  });

  describe("a yanked version", () => {
    const yanked: Registries = { everyone: [{ name: "paint", version: "1.2.0", isYanked: true }, ...paint("1.1.0")] };

    it("is given where it is locked", async () => {
      await using folder = await stage(user('paint = "=1.2.0"'), { everyone: paint("1.2.0") });
      await rm(join(folder.path, ".everyone"), { recursive: true });
      for (const release of yanked.everyone) await writeRelease(join(folder.path, ".everyone"), release);
      assert.match((await folder.sources("paint")).text, /^paint 1\.2\.0: the Cargo\.lock of this workspace has it/);
    });

    it("is refused where it is not, and is not the latest", async () => {
      await using folder = await stage(user(), yanked);
      const { text, isError } = await folder.sources("paint", "=1.2.0");
      assert.match(text, /^cargo cannot provide "=1\.2\.0" of the crate "paint": .*yanked.* Pass an existing version/);
      assert.equal(isError, true);
      assert.match((await folder.sources("paint")).text, /^paint 1\.1\.0: it is the latest release/);
    });
  });

  for (const [damage, said] of [
    ["truncated", "failed to unpack"],
    ["changed", "failed to verify the checksum"],
  ] as const) {
    describe(`an archive that was ${damage}`, () => {
      const damaged: Registries = { everyone: [{ name: "paint", version: "1.2.0", damage }] };

      it("is reported with what to remove, locked or not", async () => {
        await using locked = await stage(user('paint = "1"'), damaged);
        await using unlocked = await stage(user(), damaged);
        for (const answer of [await locked.sources("paint"), await unlocked.sources("paint", "=1.2.0")]) {
          assert.match(answer.text, new RegExp(`^cargo cannot .*${said}.* Remove the damaged archive from`));
          assert.equal(answer.isError, true);
        }
      });
    });
  }

  it("reports an unknown crate and an impossible range also where there is no Cargo.toml", async () => {
    await using folder = await stage({}, registries, false);
    const unknown = await folder.sources("no-such-crate");
    assert.match(unknown.text, /^cargo cannot provide the crate "no-such-crate": .* Check the spelling of the name/);
    const impossible = await folder.sources("paint", ">2, <1");
    assert.match(impossible.text, /^cargo cannot provide ">2, <1" of the crate "paint": failed to select a version/);
    assert.deepEqual([unknown.isError, impossible.isError], [true, true]);
    const { text } = await folder.sources("paint");
    assert.match(text, new RegExp(`^paint 9\\.9\\.9: .*There is no Cargo\\.toml in ${folder.path} or above it`));
  });

  it("says that there is no cargo, where there is no Cargo.toml either", async () => {
    await using folder = await emptyFolder();
    const call = toolsIn(folder.path, ferrisServices(trusting(), { ...process.env, PATH: folder.path }));
    const { text, isError } = await call("crate_sources", { crate_name: "paint", version: "1" });
    assert.match(text, /^The program "cargo" can't be started \(it is not on the PATH\)\. Install Rust/);
    assert.equal(isError, true);
  });
});
