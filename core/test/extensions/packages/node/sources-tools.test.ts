import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { firstLine, SourcesStage } from "./sources-stage.js";

const project = {
  "package.json": JSON.stringify({
    name: "root",
    workspaces: ["packages/*"],
    dependencies: { lib: "^2.0.0", old: "npm:lib@1.0.0" },
  }),
  "package-lock.json": JSON.stringify({
    lockfileVersion: 3,
    packages: {
      "": { dependencies: { lib: "^2.0.0", old: "npm:lib@1.0.0" } },
      "packages/app": { name: "app", version: "0.1.0", dependencies: { lib: "1.0.0" } },
      "node_modules/lib": { version: "2.1.0" },
      "node_modules/old": { name: "lib", version: "1.0.0" },
      "packages/app/node_modules/lib": { version: "1.0.0" },
      "node_modules/plain": { version: "1.0.0" },
    },
  }),
  "packages/app/package.json": `{"name": "app", "version": "0.1.0", "dependencies": {"lib": "1.0.0"}}`,
  "packages/app/src/main.ts": `import { make } from "lib";`,
  "node_modules/lib/package.json": JSON.stringify({
    name: "lib",
    version: "2.0.5",
    exports: {
      ".": { import: { types: "./types/index.d.ts", default: "./dist/index.js" } },
      "./deep/*": "./types/deep/*.d.ts",
    },
  }),
  "node_modules/lib/types/index.d.ts": `import { Base } from "./base.js";
export * from "./inner.js";
export { hidden as shown } from "./inner.js";
export * as tools from "./inner.js";
/** Makes things. */
export declare function make(name: string): Made;
export declare function make(count: number): Made[];
/** What is { made }. */
export interface Made extends Base {
  /** Its name; "quoted }" too. */
  readonly name: string;
  rename(to: string): { readonly before: string; };
}
export default class Maker<T = {}> {
  static all: Maker[];
}
export type Options = { a: string }
  | { b: number };
export declare const one: number, two: string;
`,
  "node_modules/lib/types/inner.d.ts": `declare function hidden(): void;
/** Deep inside. */
export declare const deep: "}" | "{";
export { hidden };
`,
  "node_modules/lib/types/base.d.ts": `export interface Base {
  /** Of all of them. */
  id(): string;
}
`,
  "node_modules/lib/types/deep/part.d.ts": "export declare function part(): void;\n",
  "node_modules/lib/dist/index.js": `export function make(name) { return name; } // needle in built\n`,
  "node_modules/lib/dist/index.js.map": JSON.stringify({
    version: 3,
    sources: ["../src/index.ts", "webpack://lib/./src/webpacked.ts", "../../../../etc/passwd", "../types/index.d.ts"],
    sourcesContent: [
      "// needle in source\nexport const make = 1;\n",
      "needle in pack",
      "needle outside",
      "needle twice",
    ],
    mappings: "",
  }),
  "node_modules/lib/dist/lib.min.js": `needle${"x".repeat(400)}`,
  "node_modules/lib/README.md": "# lib\nneedle in docs\n",
  "node_modules/lib/.env": "needle=secret",
  "node_modules/lib/node_modules/other/index.js": "needle of another",
  "node_modules/old/package.json": `{"name": "lib", "version": "1.0.0", "main": "main.js"}`,
  "node_modules/old/main.js": "exports.make = () => 1;\n",
  "packages/app/node_modules/lib/package.json": `{"name": "lib", "version": "1.0.0", "main": "main.js"}`,
  "packages/app/node_modules/lib/main.js": "exports.make = () => 1;\n",
  "node_modules/plain/package.json": `{"name": "plain", "version": "1.0.0", "main": "index"}`,
  "node_modules/plain/index.js": "module.exports = 1;\n",
  "node_modules/@types/plain/package.json": `{"name": "@types/plain", "version": "1.0.9", "types": "index.d.ts"}`,
  "node_modules/@types/plain/index.d.ts": `export = plain;
/** The function itself. */
declare function plain(): plain.Result;
declare namespace plain {
  /** What it gives. */
  interface Result { readonly ok: boolean }
}
`,
};

describe("the extension that shows the sources of packages", function () {
  this.timeout(120_000);

  let stage: SourcesStage;
  before(async () => {
    stage = await SourcesStage.open(project);
  });
  after(() => stage[Symbol.asyncDispose]());

  it("costs nothing where there is no project, and nothing where its tools are off", async () => {
    await using empty = await SourcesStage.open({ "notes/readme.md": "" });
    assert.deepEqual(empty.servers(), []);
    assert.deepEqual(stage.servers(stage.folder, { tools: [] }), []);
  });

  it("lists its tools in less than 4 KB", async () => {
    const [server] = stage.servers();
    const context = { signal: new AbortController().signal, notify: () => undefined };
    const { json } = (await server?.call("tools/list", undefined, context)) ?? {};
    const tools = (json?.object?.["tools"] ?? []) as readonly { readonly name: string }[];
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["package_sources", "package_search", "package_item", "package_file", "package_fetch"],
    );
    assert.ok((json?.text.length ?? Infinity) <= 4_096, json?.text.length.toString());
  });

  it("says version, reason, drift, other versions and kinds of files", async () => {
    assert.equal(
      await stage.call("package_sources", { name: "lib", from: "index.ts" }),
      `lib 2.0.5 (npm)\nFolder: /stage/node_modules/lib\nStarts at: /stage/node_modules/lib/types/index.d.ts\nWhy: /stage/package.json requires "^2.0.0" (dependencies); Node finds it in /stage/node_modules\nDrift: /stage/package-lock.json locks 2.1.0, but 2.0.5 is installed: run the project's install command to sync them\nOther versions here: 1.0.0 (for packages/app, this project)\nFiles: 4 types in types/; 1 maps in dist/; 1 docs; 2 built in dist/; 1 other`,
    );
  });

  it("answers for the importer: its own node_modules, an alias, a part of the package, a file that is not there yet", async () => {
    const heads = await Promise.all(
      [
        { name: "lib", from: "packages/app/src/main.ts" },
        { name: "lib", from: "packages/app/src/new/file.ts" },
        { name: "old" },
        { name: "lib/deep/part" },
        { name: "app", from: "packages/app/src/main.ts" },
      ].map((question) => stage.call("package_sources", question)),
    );
    assert.deepEqual(heads.map(firstLine), [
      "lib 1.0.0 (npm)",
      "lib 1.0.0 (npm)",
      "lib 1.0.0 (npm)",
      "lib 2.0.5 (npm)",
      "app (npm) is not installed here.",
    ]);
    assert.match(heads[2] ?? "", /"old" is an alias for lib/);
    assert.match(heads[3] ?? "", /"deep\/part" starts at: \/stage\/node_modules\/lib\/types\/deep\/part\.d\.ts/);
  });

  it("takes the types of an alias by the name in the import, else by the package's own", async () => {
    await using own = await SourcesStage.open({
      "package.json": "{}",
      "node_modules/old/package.json": `{"name":"lib","version":"1.0.0"}`,
      "node_modules/@types/old/package.json": `{"name":"@types/lib","version":"1.5.0"}`,
      "node_modules/@types/lib/package.json": `{"name":"@types/lib","version":"2.5.0"}`,
    });
    assert.match(await own.call("package_sources", { name: "old" }), /@types\/old 1\.5\.0/);
    await rm(join(own.folder, "node_modules/@types/old"), { recursive: true });
    assert.match(await own.call("package_sources", { name: "old" }), /@types\/lib 2\.5\.0/);
  });

  it("sees at once what is installed anew", async () => {
    await using own = await SourcesStage.open({
      "package.json": "{}",
      "node_modules/a/package.json": `{"name":"a","version":"1.0.0"}`,
    });
    const servers = own.servers();
    assert.equal(firstLine(await own.call("package_sources", { name: "a" }, servers)), "a 1.0.0 (npm)");
    await own.write({
      "node_modules/a/package.json": `{"name":"a","version":"1.10.0"}`,
      "node_modules/b/package.json": `{"name":"b","version":"3.0.0"}`,
    });
    assert.equal(firstLine(await own.call("package_sources", { name: "a" }, servers)), "a 1.10.0 (npm)");
    assert.equal(firstLine(await own.call("package_sources", { name: "b" }, servers)), "b 3.0.0 (npm)");
    await rm(join(own.folder, "node_modules/a"), { recursive: true });
    assert.equal(
      firstLine(await own.call("package_sources", { name: "a" }, servers)),
      "a (npm) is not installed here.",
    );
  });

  it("takes a project below where nobody says who imports it", async () => {
    await using own = await SourcesStage.open({
      "one/package.json": "{}",
      "one/node_modules/a/package.json": `{"name":"a","version":"1.0.0"}`,
      "two/package.json": "{}",
      "two/node_modules/a/package.json": `{"name":"a","version":"2.0.0"}`,
    });
    const text = await own.call("package_sources", { name: "a" });
    assert.match(text, /^a 1\.0\.0 \(npm\)\n/);
    assert.match(
      text,
      /\/stage\/one imports it; no `from` was given: this is what it gets, while \/stage\/two gets another version/,
    );
  });

  it("says what to do about a package that is not there", async () => {
    await using own = await SourcesStage.open({ "package.json": `{"dependencies": {"zod": "^4.0.0"}}` });
    assert.equal(
      await own.call("package_sources", { name: "zod" }),
      `zod ^4.0.0 (npm) is not installed here.\nWhy: /stage/package.json requires "^4.0.0" (dependencies); no node_modules folder from there upwards contains it\npackage_fetch downloads it for reading, without installing it: npm pack zod@^4.0.0 --ignore-scripts.`,
    );
  });

  it("searches types before sources out of source maps, and neither minified, hidden nor foreign files", async () => {
    const text = await stage.call("package_search", { name: "lib", from: "index.ts", pattern: "needle" });
    assert.equal(
      text,
      `lib 2.0.5 (npm), /stage/node_modules/lib: 4 lines match in 9 files, 1 minified left out
sourcemap:src/index.ts:1: // needle in source
sourcemap:src/webpacked.ts:1: needle in pack
sourcemap:etc/passwd:1: needle outside
README.md:2: needle in docs`,
    );
    const built = await stage.call("package_search", { name: "lib", pattern: "needle", kind: "built" });
    assert.match(built, /dist\/index\.js:1: .*needle in built$/);
    const second = await stage.call("package_search", { name: "lib", pattern: "NEEDLE|needle", limit: 1, offset: 1 });
    assert.match(second, /webpacked\.ts:1: needle in pack\n… 2 more: pass offset 2$/);
  });

  it("reads files of a package, those out of source maps too, and nothing else", async () => {
    const read = (path: string) => stage.call("package_file", { name: "lib", from: "index.ts", path });
    assert.equal(
      await read("sourcemap:src/index.ts"),
      "lib 2.0.5 (npm) sourcemap:src/index.ts: lines 1 to 3 of 3\n// needle in source\nexport const make = 1;\n",
    );
    assert.match(await read("types/inner.d.ts"), /lines 1 to 5 of 5\ndeclare function hidden/);
    assert.match(await read(`${stage.folder}/node_modules/lib/README.md`), /needle in docs/);
    assert.equal(
      await stage.call("package_file", { name: "lib", from: "index.ts", path: "types/index.d.ts", line: 5, lines: 1 }),
      "lib 2.0.5 (npm) types/index.d.ts: lines 5 to 5 of 20\n/** Makes things. */",
    );
    for (const path of [
      "../../package.json",
      "/etc/passwd",
      ".env",
      "types/../.env",
      "a\0b",
      "types",
      "sourcemap:../x",
    ]) {
      assert.match(await read(path), /^lib 2\.0\.5 has no (?:file|source) |isn't a text file/, path);
    }
  });

  it("follows no link that leads out of a package", async () => {
    await using own = await SourcesStage.open({
      "package.json": "{}",
      "outside/secret.txt": "needle",
      "node_modules/a/package.json": `{"name":"a","version":"1.0.0","types":"../../outside/secret.d.ts"}`,
      "outside/secret.d.ts": "export declare const secret: string;",
    });
    await symlink(join(own.folder, "outside"), join(own.folder, "node_modules/a/out"), "junction");
    assert.match(await own.call("package_search", { name: "a", pattern: "needle" }), /: 0 lines match/);
    assert.match(await own.call("package_file", { name: "a", path: "out/secret.txt" }), /has no file/);
    assert.match(await own.call("package_item", { name: "a", symbol: "secret" }), /declares no "secret"/);
  });

  it("refuses names that are none, and importers that are not in the folder", async () => {
    const names = [
      "../x",
      "./x",
      "/etc",
      "a/../../b",
      "a\0b",
      "@x",
      "a\\b",
      "-g",
      "http://x",
      "#own",
      "a b",
      ".hidden",
      "x".repeat(600),
    ];
    for (const name of names) {
      const text = await stage.call("package_sources", { name });
      assert.match(text, /isn't a package name|is a file, not a package|is a private import/, `${name}: ${text}`);
    }
    for (const from of ["../elsewhere.ts", "/etc/x.ts", "a\0b"]) {
      assert.match(await stage.call("package_sources", { name: "lib", from }), /isn't in \/stage/, from);
    }
  });

  it("shows a symbol through re-exports, with documentation and place: overloads, members, those of bases", async () => {
    const show = (symbol: string, name = "lib") => stage.call("package_item", { name, symbol, from: "index.ts" });
    const head = "lib 2.0.5 (npm), /stage/node_modules/lib\n\n";
    assert.equal(
      await show("make"),
      `${head}types/index.d.ts:6\n/** Makes things. */\nexport declare function make(name: string): Made;\n\n` +
        "types/index.d.ts:7\nexport declare function make(count: number): Made[];",
    );
    assert.equal(
      await show("deep"),
      `${head}types/inner.d.ts:3\n/** Deep inside. */\nexport declare const deep: "}" | "{";`,
    );
    assert.equal(await show("shown"), `${head}types/inner.d.ts:1\ndeclare function hidden(): void;`);
    assert.equal(
      await show("Made.rename"),
      `${head}types/index.d.ts:12\n  rename(to: string): { readonly before: string; };`,
    );
    assert.equal(
      await show("Made.name"),
      `${head}types/index.d.ts:11\n  /** Its name; "quoted }" too. */\n  readonly name: string;`,
    );
    assert.equal(await show("Made.id"), `${head}types/base.d.ts:3\n  /** Of all of them. */\n  id(): string;`);
    assert.match(
      await show("default"),
      /:14\nexport default class Maker<T = \{\}> \{\n {2}static all: Maker\[\];\n\}$/,
    );
    assert.match(await show("Options"), /export type Options = \{ a: string \}\n {2}\| \{ b: number \};$/);
    assert.match(await show("two"), /types\/index\.d\.ts:19\n/);
    assert.match(await show("nothing"), /declares no "nothing"/);
    assert.match(await show("part", "lib/deep/part"), /types\/deep\/part\.d\.ts:1\n/);
    assert.match(await show("make\0"), /isn't a name/);
  });

  it("shows the types of a package that has none, from @types", async () => {
    const text = await stage.call("package_item", { name: "plain", symbol: "Result" });
    assert.match(
      text,
      /@types\/plain 1\.0\.9: \/stage\/node_modules\/@types\/plain\/index\.d\.ts:6\n {2}\/\*\* What it gives\. \*\/\n {2}interface Result/,
    );
    assert.match(await stage.call("package_item", { name: "plain", symbol: "default" }), /declare function plain\(\)/);
    assert.equal(
      await stage.call("package_item", { name: "lib", from: "index.ts" }),
      "lib 2.0.5 (npm), /stage/node_modules/lib\nMade, Options, deep, default, hidden, make, one, shown, tools, two",
    );
  });

  it("survives package.json files that mean harm", async () => {
    await using own = await SourcesStage.open({ "package.json": "{}" });
    const manifests = [
      "",
      "[]",
      "{",
      `{"name": 3}`,
      `{"name":"a","version":"1","exports":${"[".repeat(500)}${"]".repeat(500)}}`,
      `{"name":"a","version":"1","types":"./self.d.ts"}`,
    ];
    for (const [index, text] of manifests.entries()) {
      await mkdir(join(own.folder, `node_modules/p${index}`), { recursive: true });
      await writeFile(join(own.folder, `node_modules/p${index}/package.json`), text);
      await writeFile(
        join(own.folder, `node_modules/p${index}/self.d.ts`),
        `export * from "./self.js"; export * from "p${index}"; export { x } from "./self.js";`,
      );
      assert.notEqual(await own.call("package_sources", { name: `p${index}` }), "");
      assert.notEqual(await own.call("package_item", { name: `p${index}`, symbol: "x" }), "");
    }
  });
});
