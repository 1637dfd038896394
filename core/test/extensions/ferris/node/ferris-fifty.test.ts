import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ferrisServices } from "../../../../src/extensions/ferris/node.js";
import { Json } from "../../../../src/base/rpc/json.js";
import { trusting } from "../../../../testing/scripted-client.js";
import { leaveOut, needsCargo } from "../../../needs-cargo.js";
import { type CallTool, emptyFolder, type Folder, toolsIn } from "./ferris-stage.js";

const setUp = fileURLToPath(new URL("../../../../../../test/fixtures/ferris/fifty/set-up.mjs", import.meta.url));

/** A package as `Cargo.lock` names it. */
interface LockedPackage {
  readonly name: string;
  readonly version: string;
}

describe("ferris: a workspace with fifty crates", function () {
  this.timeout(300_000);
  let folder: Folder | undefined;
  let call: CallTool = () => Promise.reject(new Error("There is no workspace."));
  let locked: readonly LockedPackage[] = [];
  before(async function () {
    needsCargo(this);
    folder = await emptyFolder();
    const said = Json.ofText(execFileSync(process.execPath, [setUp, folder.path], { encoding: "utf8" })).object ?? {};
    const { workspace, cargoHome, problem } = said;
    // Not a fault of ours: this machine has no git or no Rust, or cannot reach a registry.
    if (typeof workspace !== "string" || typeof cargoHome !== "string")
      leaveOut(this, `the crates cannot be had: ${String(problem)}`);
    locked = lockedPackages(await readFile(join(workspace, "Cargo.lock"), "utf8"));
    const unreachable = "http://127.0.0.1:1";
    const offline = { CARGO_NET_OFFLINE: "true", HTTPS_PROXY: unreachable, CARGO_HTTP_PROXY: unreachable };
    call = toolsIn(workspace, ferrisServices(trusting(), { ...process.env, CARGO_HOME: cargoHome, ...offline }));
  });
  after(() => folder?.[Symbol.asyncDispose]());

  it("gives each crate at exactly the locked version, without a network", async () => {
    const answers = await Promise.all(locked.map((one) => sourcesOf(call, one, locked)));
    assert.deepEqual(
      answers,
      locked.map(({ name, version }) => `${name} ${version}`),
    );
    assert.equal(locked.length, 50);
  });

  it("says of each kind of source where the crate comes from", async () => {
    const originOf = async (name: string, version?: string): Promise<string | undefined> => {
      const { text } = await call("crate_sources", { crate_name: name, ...(version !== undefined && { version }) });
      return /has it(?:, from ([a-z]+:|a local folder))?/.exec(text)?.[1];
    };
    assert.deepEqual(
      {
        registry: await originOf("slab", "0.4"),
        private: await originOf("slab", "99"),
        git: await originOf("memchr"),
        folder: await originOf("rand"),
        patched: await originOf("matches"),
      },
      { registry: undefined, private: "https:", git: "file:", folder: "a local folder", patched: "a local folder" },
    );
  });
});

/** The name and version in the `Cargo.toml` of the folder that `crate_sources` gives; what it said where that is no other. */
async function sourcesOf(
  call: CallTool,
  { name, version }: LockedPackage,
  all: readonly LockedPackage[],
): Promise<string> {
  const isAlone = all.filter((one) => one.name === name).length === 1;
  const series = version.split(".", 2).join(".");
  const { text } = await call("crate_sources", { crate_name: name, ...(!isAlone && { version: series }) });
  const folder = /^Sources: (.*)$/m.exec(text)?.[1];
  if (folder === undefined || !text.includes("the Cargo.lock of this workspace has it")) return text;
  const manifest = await readFile(join(folder, "Cargo.toml"), "utf8");
  const field = (key: string): string => new RegExp(`^${key} = "(.*)"$`, "m").exec(manifest)?.[1] ?? "";
  return `${field("name")} ${field("version")}`;
}

/** Returns the packages of a `Cargo.lock`, except `app`, the workspace's only package. */
function lockedPackages(text: string): LockedPackage[] {
  const field = (part: string, key: string): string | undefined => new RegExp(`^${key} = "(.*)"$`, "m").exec(part)?.[1];
  const all = text.split("[[package]]").slice(1);
  return all
    .map((part) => ({
      name: field(part, "name") ?? "",
      version: field(part, "version") ?? "",
    }))
    .filter(({ name }) => name !== "app");
}
