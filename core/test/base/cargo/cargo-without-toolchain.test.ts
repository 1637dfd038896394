import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ferrisServices } from "../../../src/extensions/ferris/node.js";
import { recommendExtensions } from "../../../src/agents/recommendations/node/recommend-extensions.js";
import { whyNoCargo } from "../../../testing/node/rust-here.js";
import { trusting } from "../../../testing/scripted-client.js";
import { cargoWorkspace, type Folder, folderWith } from "../../agents/recommendations/workspace-fixture.js";
import { toolsIn } from "../../extensions/ferris/node/ferris-stage.js";

/** Imitates rustup's cargo without a toolchain, with the stack that RUST_BACKTRACE adds. */
const rustupsCargo = `#!/bin/sh
echo "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured." >&2
echo "help: run 'rustup default stable' to download the latest stable release of Rust." >&2
i=0; while [ $i -lt 60 ]; do echo "  $i: rustup::config::no_toolchain_error" >&2; i=$((i+1)); done
exit 1
`;

describe("where rustup has no toolchain", () => {
  let workspace: Folder;
  let bin: string;
  let env: NodeJS.ProcessEnv;
  before(function () {
    if (process.platform === "win32") this.skip();
  });
  beforeEach(async () => {
    workspace = await folderWith(cargoWorkspace);
    bin = await mkdtemp(join(tmpdir(), "symposium-bin-"));
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, "cargo"), rustupsCargo);
    await chmod(join(bin, "cargo"), 0o755);
    env = { ...process.env, PATH: [bin, process.env["PATH"] ?? ""].join(delimiter) };
  });
  afterEach(async () => {
    await workspace[Symbol.asyncDispose]();
    await rm(bin, { recursive: true, force: true });
  });

  it("Ferris names the remedy, and shows no stack", async () => {
    const call = toolsIn(workspace.path, ferrisServices(trusting(), env));
    for (const args of [{ crate_name: "library" }, { crate_name: "library", version: "1" }]) {
      assert.deepEqual(await call("crate_sources", args), {
        isError: true,
        text: 'The program "cargo" can\'t be started (rustup has no default toolchain). Run `rustup default stable`.',
      });
    }
  });

  it("recommendations take the names of Cargo.lock, and name the remedy", async () => {
    const { warnings } = await recommendExtensions({
      trust: trusting(),
      workspaceFolder: workspace.path,
      configFolder: workspace.path,
      shipped: "",
      remoteAddress: "",
      freshMs: 0,
      proxies: [],
      env,
      signal: new AbortController().signal,
    });
    assert.deepEqual(warnings, [
      "cargo could not list the dependencies: rustup has no default toolchain. Run `rustup default stable`. " +
        `Only the crate names in ${join(workspace.path, "Cargo.lock")} are used; recommendations made by the crates themselves are unknown.`,
    ]);
  });

  it("tests that need cargo are left out for that reason", () => {
    assert.equal(whyNoCargo(env), "cargo cannot run: rustup has no default toolchain");
    assert.equal(whyNoCargo({ PATH: join(bin, "nothing") }), "cargo cannot run: it is not on the PATH");
  });
});
