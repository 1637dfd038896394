import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { builtInProxies } from "../../../src/app/built-in-proxies.js";
import { releaseScript, zedExtension } from "./release-scripts.js";

type Members = Readonly<Record<string, unknown>>;
type Manifest = (version: string) => string;

const { extensionManifest } = await releaseScript<{ extensionManifest: Manifest }>("extension-manifest.mjs");
const { contextServerManifest } = await releaseScript<{ contextServerManifest: Manifest }>(
  "context-server-manifest.mjs",
);
const { languageModelsManifest } = await releaseScript<{ languageModelsManifest: Manifest }>(
  "language-models-manifest.mjs",
);
const { extensionProblems } = await releaseScript<{
  extensionProblems: (manifest: unknown, options: { files: readonly string[]; zed: string }) => readonly string[];
}>("extension-checks.mjs");
const { version } = JSON.parse(readFileSync(new URL("../package.json", zedExtension), "utf8")) as { version: string };

/** The last version of Zed that starts agents of extensions. */
const lastWithAgents = "1.4.4";
const legacy = parse(extensionManifest(version));

function filesIn(folder: URL): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return entries.map((path) => path.replaceAll("\\", "/")).filter((path) => !path.startsWith("target/"));
}

function read(path: string): string {
  return readFileSync(new URL(path, zedExtension), "utf8");
}

describe("the extension for Zed before 1.5", () => {
  const options = { files: filesIn(zedExtension), zed: lastWithAgents };

  it("is what the table and the root version say", () => {
    assert.equal(read("extension.toml"), extensionManifest(version));
  });

  it("passes what Zed and its gallery ask for", () => {
    assert.deepEqual(extensionProblems(legacy, options), []);
  });

  it("is called without effect for a Zed that ignores it", () => {
    assert.deepEqual(extensionProblems(legacy, { ...options, zed: "1.5.0" }), ["Zed 1.5.0 ignores agent_servers."]);
  });

  const refusedHeaders: readonly [string, Members, string][] = [
    ["an id that names Zed", { id: "zed-symposium" }, 'id "zed-symposium" names Zed or says extension.'],
    ["a name that says extension", { name: "An Extension" }, 'name "An Extension" names Zed or says extension.'],
    ["another schema", { schema_version: 2 }, "schema_version has to be 1."],
    ["slash commands", { slash_commands: {} }, "slash_commands is not known to Zed."],
  ];
  for (const [what, changes, problem] of refusedHeaders) {
    it(`would be refused with ${what}`, () => {
      assert.deepEqual(extensionProblems({ ...legacy, ...changes }, options), [problem]);
    });
  }

  const sound = { archive: "https://a.example/x.zip", cmd: "./x" };
  const refusedTargets: readonly [string, string, Members, string][] = [
    ["a platform that Zed has not", "linux-x64", sound, "linux-x64 is no platform."],
    [
      "an archive of another kind",
      "linux-x86_64",
      { ...sound, archive: "https://a.example/x.xz" },
      "Zed cannot unpack https://a.example/x.xz.",
    ],
    [
      "a script for Node",
      "linux-x86_64",
      { ...sound, cmd: "node" },
      'cmd "node" of linux-x86_64 is no executable in the archive.',
    ],
    [
      "a command outside",
      "linux-x86_64",
      { ...sound, cmd: "./../x" },
      'cmd "./../x" of linux-x86_64 is no executable in the archive.',
    ],
    [
      "variables of a target",
      "linux-x86_64",
      { ...sound, env: {} },
      "env of linux-x86_64 has no effect; it belongs on the agent.",
    ],
  ];
  for (const [what, platform, target, problem] of refusedTargets) {
    it(`would be refused with ${what}`, () => {
      const agents = { agent_servers: { a: { name: "A", targets: { [platform]: target } } } };
      assert.deepEqual(extensionProblems({ ...legacy, ...agents }, options), [problem]);
    });
  }

  it("would be refused without its icon", () => {
    assert.deepEqual(extensionProblems(legacy, { ...options, files: [] }), [
      "The icon registry/icon.svg is not there.",
    ]);
  });
});

describe("the extension with the MCP servers", () => {
  const folder = new URL("context-server/", zedExtension);

  it("is what the table and the root version say", () => {
    assert.equal(read("context-server/extension.toml"), contextServerManifest(version));
    for (const name of ["Cargo.toml", "Cargo.lock"]) {
      assert.match(read(`context-server/${name}`), new RegExp(`name = "symposium-tools"\nversion = "${version}"`));
    }
  });

  it("passes what today's Zed and its gallery ask for", () => {
    const manifest = parse(contextServerManifest(version));
    assert.deepEqual(extensionProblems(manifest, { files: filesIn(folder), zed: "1.18.0" }), []);
  });

  it("has a server for each built-in extension, by the names that its program knows", () => {
    const names = builtInProxies.map(({ name }) => name).sort();
    const { context_servers: servers } = parse(contextServerManifest(version));
    assert.deepEqual(
      Object.keys(servers as object).sort(),
      names.map((name) => `symposium-${name}`),
    );
    const known = /name @ \(([^)]+)\)/.exec(read("context-server/src/server.rs"))?.[1] ?? "";
    assert.deepEqual([...known.matchAll(/"([\w-]+)"/g)].map(([, name]) => name).sort(), names);
  });

  it("stands under the product's licence", () => {
    assert.equal(read("context-server/LICENSE"), read("../LICENSE"));
  });
});

describe("the extension with the language models", () => {
  it("is what the table and the root version say", () => {
    assert.equal(read("language-models/extension.toml"), languageModelsManifest(version));
    for (const name of ["Cargo.toml", "Cargo.lock"]) {
      const itsVersion = new RegExp(`name = "symposium-language-models"\nversion = "${version}"`);
      assert.match(read(`language-models/${name}`), itsVersion);
    }
  });

  it("is refused by the gallery of today's Zed, which has no such providers", () => {
    const files = filesIn(new URL("language-models/", zedExtension));
    assert.deepEqual(extensionProblems(parse(languageModelsManifest(version)), { files, zed: "1.18.0" }), [
      "language_model_providers is not known to Zed.",
      "It provides no feature.",
    ]);
  });

  it("says in the first line of its README that nobody can load it, and stands under the product's licence", () => {
    assert.match(read("language-models/README.md").split("\n", 1)[0] ?? "", /loads in no released Zed/);
    assert.equal(read("language-models/LICENSE"), read("../LICENSE"));
  });
});
