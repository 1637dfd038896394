import assert from "node:assert/strict";
import { chmod, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type RecommendedExtensions,
  recommendExtensions,
  type RecommendExtensionsOptions,
} from "../../../src/agents/recommendations/node/recommend-extensions.js";
import { trusting } from "../../../testing/scripted-client.js";
import { needsCargo } from "../../needs-cargo.js";
import { RegistryServer } from "../registry/registry-server.js";
import { cargoWorkspace, type Folder, folderWith } from "./workspace-fixture.js";

const recommendation = (crate: string, condition = ""): string =>
  `[[recommendation]]\nsource.crate = "${crate}"\n${condition}\n`;

const shippedFile = join(import.meta.dirname, "../../../../recommendations.toml");

describe("recommendExtensions", function () {
  this.timeout(60_000);

  let workspace: Folder;
  let config: Folder;
  beforeEach(async () => {
    workspace = await folderWith(cargoWorkspace);
    config = await folderWith({});
  });
  afterEach(async () => {
    await workspace[Symbol.asyncDispose]();
    await config[Symbol.asyncDispose]();
  });

  function recommend(options: Partial<RecommendExtensionsOptions> = {}): Promise<RecommendedExtensions> {
    return recommendExtensions({
      trust: trusting(),
      workspaceFolder: workspace.path,
      configFolder: config.path,
      shipped: "",
      remoteAddress: "",
      freshMs: 0,
      proxies: [],
      env: process.env,
      signal: new AbortController().signal,
      ...options,
    });
  }

  const idsOf = ({ offers }: RecommendedExtensions): readonly string[] => offers.map(({ id }) => id);

  it("does not start cargo, which runs what files of the project name, where agents are held to a sandbox", async function () {
    if (process.platform === "win32") this.skip();
    await using programs = await folderWith({ "bin/cargo": `#!/bin/sh\necho started >> "$0.log"\nexit 101\n` });
    await chmod(join(programs.path, "bin/cargo"), 0o700);
    const env = { ...process.env, PATH: `${join(programs.path, "bin")}:${process.env["PATH"] ?? ""}` };
    const { offers } = await recommend({ env, startsCargo: false });
    assert.deepEqual([offers.length > 0, await readdir(join(programs.path, "bin"))], [true, ["cargo"]]);
    await recommend({ env });
    assert.deepEqual((await readdir(join(programs.path, "bin"))).sort(), ["cargo", "cargo.log"]);
  });

  it("offers what the used crates recommend, in both forms, with how an extension crate starts", async function () {
    needsCargo(this);
    const before = await readdir(workspace.path, { recursive: true });
    const { offers, warnings } = await recommend();
    const manifest = (name: string): string => join(workspace.path, name, "Cargo.toml");
    const byLibrary = {
      kind: "proxy",
      reasons: ["the crate library 1.2.0, which you use, recommends it"],
      from: [manifest("library")],
      alreadyEnabled: false,
    };
    assert.deepEqual(offers, [
      {
        ...byLibrary,
        id: "library-helper",
        source: { crate: "library-helper" },
        title: "library-helper (crate)",
        distribution: { cargo: { crate: "library-helper" } },
      },
      {
        ...byLibrary,
        id: "tool",
        source: { crate: "tool" },
        title: "tool (crate)",
        distribution: {
          cargo: { crate: "tool", version: "0.3.0", binary: "tool-acp", args: ["--mcp"], env: { KEY: "value" } },
        },
      },
      {
        kind: "proxy",
        id: "registry-helper",
        source: { acp: "registry-helper" },
        title: "registry-helper (ACP registry)",
        reasons: ["the crate tool 0.3.0, which you use, recommends it"],
        from: [manifest("tool")],
        alreadyEnabled: false,
      },
    ]);
    assert.equal(warnings.length, 1);
    assert.ok(warnings[0]?.startsWith(`${manifest("tool")}:15:1: `), warnings[0]);
    assert.deepEqual(await readdir(workspace.path, { recursive: true }), before);
  });

  it("reads the shipped, the user's and the workspace's file, and matches the crates that are used", async () => {
    const shipped =
      recommendation("a", 'when-using-crate = "library"') + recommendation("b", 'when-using-crate = "app"');
    await config.write({
      "recommendations.toml": recommendation("c", 'when.file-exists = "src/lib.rs"'),
    });
    await workspace.write({
      ".symposium/recommendations.toml": recommendation("d", 'when-using-crate = "no"') + recommendation("e"),
    });
    const { offers } = await recommend({ shipped });
    assert.deepEqual(
      offers.slice(0, 3).map(({ id, reasons, from }) => [id, reasons, from]),
      [
        ["a", ["you use the crate library 1.2.0 (Cargo.lock)"], ["shipped"]],
        ["c", ["the workspace has src/lib.rs"], [join(config.path, "recommendations.toml")]],
        ["e", ["it is recommended for every workspace"], [join(workspace.path, ".symposium", "recommendations.toml")]],
      ],
    );
  });

  it("warns of a file that cannot be read, and still reads the others", async () => {
    await config.write({ "recommendations.toml": `${recommendation("a")}[[` });
    await workspace.write({ ".symposium/recommendations.toml/folder": "", "Cargo.toml": "" });
    const { offers, warnings } = await recommend();
    assert.deepEqual(offers, []);
    assert.ok(warnings.some((line) => line.startsWith(`${join(config.path, "recommendations.toml")}:`)));
    assert.ok(warnings.some((line) => line.includes("recommendations.toml cannot be read: ")));
  });

  it("takes the names of Cargo.lock when there is no cargo, and says so", async () => {
    const shipped = recommendation("a", 'when-using-crates = ["tool"]');
    const recommended = await recommend({ shipped, env: { PATH: "" } });
    assert.deepEqual(idsOf(recommended), ["a"]);
    assert.deepEqual(recommended.warnings, [
      "cargo could not list the dependencies: it is not on the PATH. " +
        "Install Rust from https://rustup.rs, or put cargo on the PATH of the editor. " +
        `Only the crate names in ${join(workspace.path, "Cargo.lock")} are used; recommendations made by the crates themselves are unknown.`,
    ]);
  });

  it("takes the names of Cargo.lock when cargo cannot read the workspace, and does not change the lock", async function () {
    needsCargo(this);
    const shipped = recommendation("a", 'when-using-crate = "tool"');
    await workspace.write({ "library/Cargo.toml": "[package" });
    const recommended = await recommend({ shipped });
    assert.deepEqual(idsOf(recommended), ["a"]);
    assert.match(recommended.warnings[0] ?? "", /^cargo could not list the dependencies: .+ Only the crate names in /);
  });

  it("reads what the crates recommend also where a crate for another platform was never downloaded", async function () {
    needsCargo(this);
    const registry = JSON.stringify(join(workspace.path, "registry"));
    const crate = { name: "elsewhere", vers: "1.0.0", deps: [], cksum: "0".repeat(64), features: {}, yanked: false };
    await workspace.write({
      "Cargo.toml": `${cargoWorkspace["Cargo.toml"] ?? ""}
        [target.'cfg(target_os = "uefi")'.dependencies]\nelsewhere = "1"\n`,
      "Cargo.lock": (cargoWorkspace["Cargo.lock"] ?? "")
        .replace(' "library",\n', ' "elsewhere",\n "library",\n')
        .replace(
          '[[package]]\nname = "library"',
          `[[package]]\nname = "elsewhere"\nversion = "1.0.0"\n` +
            `source = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${crate.cksum}"\n\n$&`,
        ),
      ".cargo/config.toml": `[source.crates-io]\nreplace-with = "x"\n[source.x]\nlocal-registry = ${registry}\n`,
      "registry/index/el/se/elsewhere": `${JSON.stringify(crate)}\n`,
    });
    const recommended = await recommend();
    assert.deepEqual(idsOf(recommended), ["library-helper", "tool", "registry-helper"]);
    assert.ok(!recommended.warnings.some((line) => line.startsWith("cargo ")), recommended.warnings.join("\n"));
  });

  it("asks no cargo outside of a Cargo workspace", async () => {
    const recommended = await recommend({ workspaceFolder: config.path, env: { PATH: "" } });
    assert.deepEqual(recommended, { offers: [], warnings: [] });
  });

  it("finds the lock of the workspace around a folder", async () => {
    const shipped = recommendation("a", 'when-using-crate = "tool"');
    const workspaceFolder = join(workspace.path, "src");
    assert.deepEqual(idsOf(await recommend({ shipped, workspaceFolder, env: { PATH: "" } })), ["a"]);
  });

  it("rejects when it is cancelled", async () => {
    await assert.rejects(recommend({ signal: AbortSignal.abort() }));
  });

  describe("with a published list", () => {
    let server: RegistryServer;
    beforeEach(async () => {
      server = await RegistryServer.open();
      server.serve("/list", recommendation("remote"), '"1"');
    });
    afterEach(() => server[Symbol.asyncDispose]());

    const fetched = (freshMs = 0): Promise<RecommendedExtensions> =>
      recommend({ workspaceFolder: config.path, remoteAddress: server.address("/list"), freshMs });

    it("fetches it and keeps it, also for when there is no answer", async () => {
      assert.deepEqual((await fetched()).offers[0]?.from, [server.address("/list")]);
      server.answer("/list", (_, response) => response.writeHead(500).end());
      const { offers, warnings } = await fetched();
      assert.deepEqual(
        offers.map(({ id }) => id),
        ["remote"],
      );
      assert.match(
        warnings.join("\n"),
        /answered 500.*\nrecommendations: using the list from less than a minute ago\.$/,
      );
    });

    it("asks whether it changed, and not at all while it is fresh", async () => {
      await fetched();
      assert.deepEqual(idsOf(await fetched()), ["remote"]);
      assert.deepEqual(idsOf(await fetched(60_000)), ["remote"]);
      assert.deepEqual(server.requests, ["GET /list", "GET /list"]);
    });

    it("does not replace a kept list by a broken one", async () => {
      await fetched();
      server.serve("/list", "[[recommendation");
      const { offers, warnings } = await fetched();
      assert.equal(offers.length, 1);
      assert.ok(warnings[0]?.startsWith(`${server.address("/list")}:1:`), warnings[0]);
    });

    it("does not use the list that another address had", async () => {
      await fetched();
      const remoteAddress = server.address("/other");
      const { offers, warnings } = await recommend({ workspaceFolder: config.path, remoteAddress });
      assert.deepEqual([offers, warnings.length], [[], 1]);
    });

    it("fetches nothing over plain http from elsewhere", async () => {
      const remoteAddress = "http://example.com/recommendations.toml";
      const { warnings } = await recommend({ workspaceFolder: config.path, remoteAddress });
      assert.match(warnings[0] ?? "", /wasn't fetched because it isn't an https address/);
    });
  });

  it("ships a file without problems, whose extensions are all built in", async () => {
    const shipped = await readFile(shippedFile, "utf8");
    const { offers, warnings } = await recommend({ shipped, env: { PATH: "" } });
    assert.deepEqual(
      offers.map(({ source }) => source),
      [{ builtin: "sparkle" }, { builtin: "ferris" }, { builtin: "cargo" }, { builtin: "ide-operations" }],
    );
    assert.equal(warnings.length, 1);
  });

  it("offers what packages of other languages recommend, found in a monorepo by its manifests", async () => {
    await using mixed = await folderWith({
      "package.json": `{"private": true, "workspaces": ["web"]}`,
      "web/package.json": `{"dependencies": {"vite": "^7.0.0", "quiet": "1", "gone": "1"}}`,
      "node_modules/vite/package.json": `{"version": "7.1.0", "symposium": {"recommended": ["vite-helper", {"source": {"uvx": "py-helper"}}]}}`,
      "web/node_modules/quiet/package.json": `{"version": "1.0.0"}`,
      "node_modules/unused/package.json": `{"version": "1.0.0", "symposium": {"recommended": ["unwanted"]}}`,
      "api/pyproject.toml": `[project]\nname = "api"\ndependencies = ["shared-lib", "pytest>=9"]\n`,
      "libs/shared/pyproject.toml": `[project]\nname = "Shared.Lib"\n[tool.symposium]\nrecommended = ["shared-helper"]\n`,
      "libs/other/pyproject.toml": `[project]\nname = "other"\n[tool.symposium]\nrecommended = ["unwanted"]\n`,
    });
    const { offers, warnings } = await recommend({
      workspaceFolder: mixed.path,
      shipped: [
        `[[recommendation]]\nsource.builtin = "a"\nwhen.all = [{ using-npm-package = "vite" }, { using-python-package = "pytest" }]\n`,
        `[[recommendation]]\nsource.builtin = "b"\nwhen.using-go-module = "x.example/y"\n`,
      ].join(""),
    });
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      offers.map(({ title, reasons }) => [title, ...reasons]),
      [
        [
          "a (built in)",
          "you use the npm package vite 7.1.0 (web/package.json)",
          "you use the Python package pytest >=9 (api/pyproject.toml)",
        ],
        ["shared-helper (Python package)", "the Python package Shared.Lib, which you use, recommends it"],
        ["vite-helper (npm package)", "the npm package vite 7.1.0, which you use, recommends it"],
        ["py-helper (Python package)", "the npm package vite 7.1.0, which you use, recommends it"],
      ],
    );
  });

  it("says where a package's own words are wrong, and reads manifests above the folder up to the repository", async () => {
    await using mixed = await folderWith({
      ".git/HEAD": "",
      "package.json": `{"dependencies": {"vite": "7"}}`,
      "node_modules/vite/package.json": `{\n  "symposium": {\n    "recommended": [5]\n  }\n}`,
      "src/main.ts": "",
    });
    const { offers, warnings } = await recommend({
      workspaceFolder: join(mixed.path, "src"),
      shipped: `[[recommendation]]\nsource.builtin = "a"\nwhen-using-npm-package = "vite"\n`,
    });
    const manifest = join(mixed.path, "package.json");
    assert.deepEqual(offers[0]?.reasons, [`you use the npm package vite 7 (${manifest})`]);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /vite.package\.json:3:21: "symposium\.recommended\[0\]" must be a table, got 5/);
  });

  it("tells of a manifest that cannot be read, and goes on", async () => {
    await using mixed = await folderWith({ "package.json": "{", "go.mod": "require a.example/b v1\n" });
    const { offers, warnings } = await recommend({
      workspaceFolder: mixed.path,
      shipped: `[[recommendation]]\nsource.builtin = "a"\nwhen-using-go-module = "a.example/b"\n`,
    });
    assert.deepEqual(
      [idsOf({ offers, warnings }), warnings],
      [["a"], [`${join(mixed.path, "package.json")}: it isn't valid JSON.`]],
    );
  });
});

describe("what installed Python packages recommend", () => {
  it("stands in the pyproject.toml of their sources, or in one that they ship; others' is not read", async () => {
    const speaking = (name: string): string =>
      `[project]\nname = "${name}"\n[tool.symposium]\nrecommended = ["${name}-helper"]\n`;
    await using folder = await folderWith({
      "work/requirements.txt": "shipping==1.0\nEditable_Lib\nsilent\n",
      "sources/pyproject.toml": speaking("editable-lib"),
      "work/.venv/lib/python3.12/site-packages/shipping-1.0.dist-info/RECORD": "shipping/pyproject.toml,,\n",
      "work/.venv/lib/python3.12/site-packages/shipping/pyproject.toml": speaking("shipping"),
      "work/.venv/lib/python3.12/site-packages/silent-2.0.dist-info/RECORD":
        "../../../../../sources/pyproject.toml,,\n",
      "work/.venv/lib/python3.12/site-packages/unasked-1.0.dist-info/RECORD": "unasked/pyproject.toml,,\n",
      "work/.venv/lib/python3.12/site-packages/unasked/pyproject.toml": speaking("unasked"),
      "config/none": "",
    });
    await folder.write({
      "work/.venv/lib/python3.12/site-packages/editable_lib-0.1.dist-info/direct_url.json": JSON.stringify({
        url: pathToFileURL(join(folder.path, "sources")).href,
        dir_info: { editable: true },
      }),
    });
    const { offers } = await recommendExtensions({
      trust: trusting(),
      workspaceFolder: join(folder.path, "work"),
      configFolder: join(folder.path, "config"),
      shipped: "",
      remoteAddress: "",
      freshMs: 0,
      proxies: [],
      env: {},
      signal: new AbortController().signal,
    });
    assert.deepEqual(
      offers.map(({ title, reasons }) => [title, reasons]),
      [
        ["editable-lib-helper (Python package)", ["the Python package editable-lib 0.1, which you use, recommends it"]],
        ["shipping-helper (Python package)", ["the Python package shipping 1.0, which you use, recommends it"]],
      ],
    );
  });
});
