import assert from "node:assert/strict";
import { isInstallId, isVersionName } from "../../../src/base/node/archives/name-rules.js";
import type { InstallPlan } from "../../../src/agents/registry/start-plan.js";
import { programPath } from "../../../src/base/node/archives/unpack.js";
import { installRequest, isSatisfied } from "../../../src/agents/registry/package-request.js";
import {
  emptyState,
  type InstalledVersion,
  parseState,
  pruned,
  stateText,
  withCurrent,
  withPin,
} from "../../../src/agents/install/install-state.js";

const version = (name: string, changes: Partial<InstalledVersion> = {}): InstalledVersion => ({
  version: name,
  folder: name,
  source: "npm a",
  launch: { runner: "node", file: "a.js" },
  args: ["acp"],
  env: { A: "1" },
  ...changes,
});

describe("InstallState", () => {
  it("keeps the current, the previous and the pinned version", () => {
    let state = withPin(withCurrent(emptyState, version("1")), "1");
    for (const name of ["2", "3", "4"]) state = pruned(withCurrent(state, version(name)));
    const { current, previous, pinned, versions } = state;
    assert.deepEqual(
      { current, previous, pinned, versions: versions.map((each) => each.version) },
      { current: "4", previous: "3", pinned: "1", versions: ["1", "3", "4"] },
    );
  });

  it("keeps the previous version when the current one is installed again", () => {
    const state = withCurrent(withCurrent(withCurrent(emptyState, version("1")), version("2")), version("2"));
    assert.deepEqual([state.current, state.previous, state.versions.length], ["2", "1", 2]);
  });

  it("reads what it wrote", () => {
    const own = version("1", {
      launch: { runner: "own", interpreter: "venv/bin/python", file: "start.py" },
      wanted: "^1",
    });
    const preloaded = version("2", { launch: { runner: "node", file: "a.js", preload: "b.cjs" } });
    const state = {
      ...withPin(withCurrent(withCurrent(emptyState, own), preloaded), "2"),
      digests: { "1 u": "ab" },
    };
    assert.deepEqual(parseState(stateText(state)), state);
  });

  it("takes nothing else for a state", () => {
    const texts = ["", "[]", "{}", '{"versions":[{}],"digests":{}}', '{"versions":[],"digests":{"a":1}}'];
    assert.deepEqual(texts.map(parseState), [undefined, undefined, undefined, undefined, undefined]);
  });
});

describe("installRequest", () => {
  const start = { id: "a", args: [], env: {} };
  const npm = (name: string): InstallPlan => ({ kind: "npm", ...start, package: name });
  const satisfies = (plan: InstallPlan, installed: InstalledVersion): boolean =>
    isSatisfied(installRequest(plan), installed);

  it("is satisfied by the exact version, whoever asked for it", () => {
    assert.equal(satisfies(npm("a@1.2.3"), version("1.2.3", { wanted: "^1" })), true);
    assert.equal(satisfies(npm("a@1.2.3"), version("1.2.4")), false);
    assert.equal(
      satisfies({ kind: "pip", ...start, package: "a==1", prefersUv: true }, version("1", { source: "pip a" })),
      true,
    );
  });

  it("is satisfied by what the same range, tag or nothing brought", () => {
    assert.equal(satisfies(npm("a"), version("1")), true);
    assert.equal(satisfies(npm("a@^1"), version("1.0.0", { wanted: "^1" })), true);
    assert.equal(satisfies(npm("a@next"), version("1")), false);
    assert.equal(satisfies(npm("a"), version("1", { wanted: "next" })), false);
  });

  it("is not satisfied by the same version of something else", () => {
    assert.equal(satisfies(npm("b@1.2.3"), version("1.2.3")), false);
    assert.equal(satisfies({ ...start, kind: "npm", package: "a@1.2.3", program: "p" }, version("1.2.3")), false);
    const archive: InstallPlan = { kind: "archive", ...start, version: "1", url: "https://x/a.zip", program: "./a" };
    assert.equal(satisfies(archive, version("1")), false);
  });
});

describe("programPath", () => {
  it("reads every spelling of registries", () => {
    const spellings = [
      "./goose",
      "goose.exe",
      "./dist-package/agent",
      String.raw`./goose-package\goose.exe`,
      String.raw`.\a`,
    ];
    assert.deepEqual(
      spellings.map((text) => programPath(text, "windows")),
      [["goose"], ["goose.exe"], ["dist-package", "agent"], ["goose-package", "goose.exe"], ["a"]],
    );
    assert.deepEqual(programPath("./Applications/junie.app/Contents/MacOS/junie", "posix"), [
      "Applications",
      "junie.app",
      "Contents",
      "MacOS",
      "junie",
    ]);
  });

  it("refuses what leads elsewhere", () => {
    const bad = ["", ".", "./", "../x", "a/../../x", "/bin/sh", "C:/x", String.raw`\\s\x`, String.raw`..\x`, "a\0"];
    assert.deepEqual(
      bad.filter((text) => !("kind" in programPath(text, "posix"))),
      [],
    );
    assert.equal("kind" in programPath("nul", "windows"), true);
  });
});

describe("names of folders", () => {
  it("takes ids and versions that every system can name a folder by", () => {
    assert.deepEqual(["codex-acp", "a.b_c", "1a"].filter(isInstallId), ["codex-acp", "a.b_c", "1a"]);
    assert.deepEqual(["2026.10.01", "1.0.0-rc.1+b2", "2698.3"].filter(isVersionName), [
      "2026.10.01",
      "1.0.0-rc.1+b2",
      "2698.3",
    ]);
  });

  it("refuses all others", () => {
    const ids = ["", ".", "..", "../a", "a/b", "A", "nul", "con.x", "a.", ".locks", "-a", "a b", "a:b"];
    assert.deepEqual(ids.filter(isInstallId), []);
    const versions = ["", "..", "1/2", "1.", "current.json", "Current.JSON", "aux", ".stage-1", "1~2", "1 2", "1:2"];
    assert.deepEqual(versions.filter(isVersionName), []);
  });
});
