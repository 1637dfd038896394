import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { McpServer } from "../../../src/base/mcp/mcp-server.js";
import { trusting } from "../../../testing/scripted-client.js";
import { FolderTrust } from "../../../src/settings/trust/folder-trust.js";
import { leaveOut } from "../../needs-cargo.js";
import { callTool, repository, TestsStage } from "./tests-stage.js";

const javascript = {
  mocha: `const assert = require("node:assert");
function total(items) { if (!items) throw new TypeError("no items"); return 1; }
describe("cart", () => {
  it("adds", () => assert.equal(1 + 1, 3));
  it("is deep", () => { console.log("cache: stale"); total(undefined); });
  it.skip("later", () => {});
  it("holds", () => {});
  describe("hooked", () => { before(() => { throw new Error("no db"); }); it("never runs", () => {}); });
});
`,
  node: `import { describe, it, before } from "node:test";
import assert from "node:assert";
function total(items) { if (!items) throw new TypeError("no items"); return 1; }
describe("cart", () => {
  it("adds", () => assert.equal(1 + 1, 3));
  it("is deep", () => { console.log("cache: stale"); total(undefined); });
  it("later", { skip: true }, () => {});
  it("holds", () => {});
  describe("hooked", () => { before(() => { throw new Error("no db"); }); it("never runs", () => {}); });
});
`,
};

describe("the extension that runs tests", function () {
  this.timeout(120_000);

  let stage: TestsStage;
  let folder = "";
  beforeEach(async () => {
    stage = await TestsStage.open();
    ({ folder } = stage);
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  const write = (files: Readonly<Record<string, string>>): Promise<void> => stage.write(files);
  const servers = (trust = trusting()): readonly McpServer[] => stage.servers(trust);
  const call = callTool;

  it("costs nothing where there is no project", async () => {
    await write({ "notes/readme.md": "" });
    assert.deepEqual(servers(), []);
  });

  it("lists few tools, in few bytes", async () => {
    await write({ "package.json": "{}" });
    const [server] = servers();
    const context = { signal: new AbortController().signal, notify: () => undefined };
    const { json } = (await server?.call("tools/list", undefined, context)) ?? {};
    const tools = (json?.object?.["tools"] ?? []) as readonly { readonly name: string }[];
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["run_tests", "check", "detail", "output"],
    );
    assert.ok((json?.text.length ?? Infinity) < 3_500);
  });

  it("runs mocha: places, messages, own calls and output of each test; details and the raw output afterwards", async () => {
    await write({
      "package.json": `{"devDependencies": {"mocha": "1"}}`,
      ".mocharc.json": `{"spec": "cart.cjs"}`,
      "cart.cjs": javascript.mocha,
    });
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"), "junction");
    const [server] = servers();
    const text = await call(server, "run_tests");
    assert.match(text, /^mocha: 2 failed, 1 error, 1 passed, 1 skipped, exit 3 \[t1\]\n1\) cart\.cjs:4 cart adds\n/);
    assert.match(
      text,
      /2\) cart\.cjs:2 cart is deep\n TypeError: no items\n at [^]*cart\.cjs:5:\d+[^]*printed: cache: stale/,
    );
    assert.match(text, /3\) cart\.cjs:8 cart hooked "before all" hook for "never runs" \(hook\)\n no db/);
    assert.match(await call(server, "detail", { handle: "t1", index: 2 }), /TypeError: no items/);
    assert.match(await call(server, "output", { handle: "t1" }), /3 failing|2 failing/);
    assert.match(await call(server, "run_tests", { filter: "holds" }), /^mocha: 1 passed$/);
  });

  it("fails a run of mocha for what its global set-up rejects, and notes what is rejected during its tests", async () => {
    await write({
      "package.json": `{"devDependencies": {"mocha": "1"}}`,
      ".mocharc.json": `{"spec": "cart.cjs"}`,
      "cart.cjs": `it("pays", async () => {
  Promise.reject(new Error("late refund"));
  await new Promise(setImmediate);
});
`,
    });
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"), "junction");
    const [server] = servers();
    assert.match(
      await call(server, "run_tests"),
      /^mocha: 1 passed\nnote: Unhandled rejection: late refund at .*cart\.cjs:2/,
    );
    await write({
      ".mocharc.json": `{"spec": "cart.cjs", "require": "./global.cjs"}`,
      "global.cjs": `exports.mochaGlobalSetup = async () => {
  Promise.reject(new Error("no db"));
  await new Promise(setImmediate);
};
`,
    });
    assert.match(await call(server, "run_tests"), /^mocha: .*exit [1-9][^]*no db/);
  });

  it("runs node:test where the test script does, a file alone, and what failed again", async () => {
    await write({
      "package.json": `{"type": "module", "scripts": {"test": "node --test"}}`,
      "cart.test.js": javascript.node,
      "fine.test.js": `import { it } from "node:test"; it("holds", () => {});`,
    });
    const [server] = servers();
    const text = await call(server, "run_tests");
    assert.match(text, /^node --test [\d.]+: 2 failed, 1 error, 2 passed, 1 skipped, 1 cancelled, exit 1 \[t1\]\n/);
    assert.match(text, /\d\) cart\.test\.js:3 cart > is deep\n TypeError: no items\n at TestContext/);
    assert.match(text, /cache: stale/);
    assert.match(await call(server, "run_tests", { path: "fine.test.js" }), /^node --test [\d.]+: 1 passed$/);
    assert.match(await call(server, "run_tests", { only_failed: true }), /No test failed in the last run/);
  });

  it("names the file of node:test whose process leaves with code 0 amid its tests", async () => {
    const source = (...tests: string[]): string => `import { it } from "node:test";\n${tests.join("\n")}`;
    const fine = `it("holds", () => {});`;
    await write({
      "package.json": `{"type": "module", "scripts": {"test": "node --test"}}`,
      "fine.test.js": source(fine),
      "late.test.js": source(fine, `it("leaves", () => new Promise(() => setTimeout(process.exit, 20, 0)));`, fine),
      "early.test.js": source(fine, `process.exit(0);`),
      "test/shared.js": `import { it } from "node:test";\nexport const shared = () => {\n  ${fine}\n};`,
    });
    const [server] = servers();
    const text = await call(server, "run_tests");
    assert.match(text, /^node --test [\d.]+: \d passed, exit 0, stopped in /);
    assert.ok(text.includes("leaves (late.test.js)") && text.includes("early.test.js"), text);
    assert.ok(!/fine|shared/.test(text.split("\n")[0] ?? ""), text);
    assert.match(await call(server, "run_tests", { path: "fine.test.js" }), /^node --test [\d.]+: 1 passed$/);
  });

  it("runs go test", async function () {
    if (spawnSync("go", ["version"]).status !== 0) leaveOut(this, "go is not on the PATH");
    await write({
      "go.mod": "module m.example/svc\n\ngo 1.21\n",
      "cart/cart_test.go": `package cart
import "testing"
func TestSum(t *testing.T) { t.Run("two", func(t *testing.T) { t.Errorf("got %d, want %d", 3, 4) }) }
func TestOk(t *testing.T) {}
`,
    });
    assert.equal(
      await call(servers()[0], "run_tests"),
      "go test: 1 failed, 1 passed, exit 1 [t1]\n1) cart/cart_test.go:3 TestSum/two\n got 3, want 4",
    );
  });

  it("runs pytest of the interpreter that it finds, which it names", async function () {
    if (spawnSync("python3", ["-m", "pytest", "--version"]).status !== 0) leaveOut(this, "python3 has no pytest");
    await write({
      "pytest.ini": "[pytest]\n",
      "test_cart.py": `import pytest
def test_adds():
    print("cache: stale")
    assert {"a": [1, 2]} == {"a": [1, 3]}
@pytest.fixture
def db():
    raise RuntimeError("no db")
def test_db(db):
    pass
def test_ok():
    pass
`,
    });
    const text = await call(servers()[0], "run_tests");
    assert.match(
      text,
      /^pytest [\d.]+: 1 failed, 1 error, 1 passed, exit 1 \[t1\]\n1\) test_cart\.py:4 test_adds\n AssertionError: assert/,
    );
    assert.match(text, /printed: cache: stale\n2\) test_cart\.py:7 test_db \(hook\)\n RuntimeError: no db/);
    assert.match(text, /note: pytest of python3? on the PATH|note: pytest of the active environment/);
  });

  it("has all that differs in a long difference of pytest, with the item that it is in", async function () {
    if (spawnSync("python3", ["-m", "pytest", "--version"]).status !== 0) leaveOut(this, "python3 has no pytest");
    const dictionary = `{f"k{i}": {"v": i, "deep": [i, {"x": "y" * 100}]} for i in range(200)}`;
    const test = `def test_a():\n    a, b = ${dictionary}, ${dictionary}\n    b["k31"]["v"] = -1\n    del b["k199"]\n    b["new"] = 7\n    assert a == b\n`;
    await write({ "pytest.ini": "[pytest]\n", "test_a.py": test });
    const text = await call(servers()[0], "run_tests");
    for (const part of [/\n {3}\{'k31': .* != /, /\n {3}- +'v': -1,\n {3}\+ +'v': 31,/, /- +'new': 7,/])
      assert.match(text, part);
    assert.match(text, /\n {3}Full diff: \(-: missing in left side/);
    await write({ "test_a.py": `def test_a():\n    assert "a" * 50_000 + "b" == "a" * 50_000 + "c"\n` });
    assert.match(await call(servers()[0], "run_tests"), /\n {3}- .* same …a+c\n {3}\+ .* same …a+b\n/);
  });

  it("says of which folder a project's paths are, where that is not the session's own", async function () {
    if (spawnSync("go", ["version"]).status !== 0) leaveOut(this, "go is not on the PATH");
    await write({
      "web/package.json": `{"scripts": {"test": "node --test"}}`,
      "web/a.test.js": `require("node:test")("adds", () => { throw new Error("no"); });`,
      "shop/go.mod": "module shop\n\ngo 1.20\n",
      "shop/cart_test.go": `package shop\nimport "testing"\nfunc TestSum(t *testing.T) { t.Error("no") }\n`,
    });
    const text = await call(servers()[0], "run_tests");
    assert.match(text, /^go test in shop: 1 failed, exit 1 \[t1\]\n1\) cart_test\.go:3 TestSum\n/);
    assert.match(text, /\n\nnode --test [\d.]+ in web: 1 failed, exit 1 \[t2\]\n1\) a\.test\.js:1 adds\n/);
    assert.equal(await call(servers()[0], "check"), "go vet in shop: no findings");
  });

  it("says which tests of pytest did not run, and where one is that passed against all expectation", async function () {
    if (spawnSync("python3", ["-m", "pytest", "--version"]).status !== 0) leaveOut(this, "python3 has no pytest");
    const unexpected = `import pytest
import unittest
@pytest.mark.xfail(strict=True)
def test_now(): pass
class Cart(unittest.TestCase):
    @unittest.expectedFailure
    def test_then(self): pass
`;
    await write({ "pytest.ini": "[pytest]\n", "test_a.py": unexpected, "test_b.py": "import no_such_module\n" });
    const stopped = await call(servers()[0], "run_tests");
    assert.match(stopped, /: 1 error, exit 2 \[t1\]\n1\) test_b\.py:1 \(load\)\n/);
    assert.match(stopped, /\nnote: No test ran, as not all files load: 2 were not run\.\n/);
    await write({ "test_b.py": "" });
    const text = await call(servers()[0], "run_tests");
    assert.match(text, /\) test_a\.py:3 test_now\n \[XPASS\(strict\)\]/);
    assert.match(text, /\) test_a\.py:6 Cart::test_then\n Failed: Unexpected success\n(?! at )/);
  });

  it("runs another test script as it is, and says so", async () => {
    await write({ "package.json": `{"scripts": {"test": "echo all is well && exit 3"}}` });
    const text = await call(servers()[0], "run_tests");
    assert.match(text, /^script: exit 3, without a report \[t1\]\n[^]*all is well/);
    assert.match(text, /note: its test script is "echo all is well/);
  });

  it("says that a runner is not installed, of which a shell says only that it is not found", async () => {
    await write({ "package.json": `{"scripts": {"test": "c8 jest --ci"}, "devDependencies": {"jest": "^30"}}` });
    const text = await call(servers()[0], "run_tests");
    assert.match(
      text,
      /\nnote: its test script is "c8 jest --ci", but jest is not installed there: install the packages of .* first$/,
    );
  });

  it("checks types and style by what the folder configures, each finding with its place; details and raw output afterwards", async function () {
    // Compilers, on a machine that does other things, too.
    this.timeout(300_000);
    await write({
      "package.json": `{"type": "module"}`,
      "tsconfig.json": `{"compilerOptions": {"strict": true, "types": []}, "include": ["src"]}`,
      ".oxlintrc.json": `{ "ignorePatterns": ["node_modules"], "categories": { "correctness": "off" }, "rules": { "no-undef": "error", "no-var": "warn" } }`,
      "src/cart.ts": `const price: number = "free";\nexport function total(items: { cost: number }): string {\n  return items.cost;\n}\nexport { price };\n`,
      "src/a.js": "var x = missing;\nvar y = missing;\nexport { x, y };\n",
    });
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"), "junction");
    const [server] = servers();
    const text = await call(server, "check");
    assert.equal(
      text,
      [
        "tsc: 2 errors in src/cart.ts [t1]",
        "1:7 TS2322 Type 'string' is not assignable to type 'number'.",
        "3:3 TS2322 Type 'number' is not assignable to type 'string'.",
        "",
        "oxlint: 2 errors, 2 warnings in src/a.js [t2]",
        "1:9, 2:9 no-undef 'missing' is not defined.",
        "1:1, 2:1 warning no-var Unexpected var, use let or const instead.",
      ].join("\n"),
    );
    assert.match(await call(server, "detail", { handle: "t1", index: 2 }), /^src\/cart\.ts\n3:3 TS2322/);
    assert.match(await call(server, "output", { handle: "t1" }), /src\/cart\.ts\(3,3\): error TS2322/);
    await write({ "src/cart.ts": "export const price = 1;\n", "src/a.js": "export const x = 1;\n" });
    assert.equal(await call(server, "check", { path: "src" }), "tsc: no findings\n\noxlint: no findings");
    const doubt = "note: tsc checks what tsconfig.json includes, which may leave out";
    await write({ "tools/out.ts": `export const price: number = "free";\n` });
    const unread = await call(server, "check", { path: "tools/out.ts" });
    assert.equal(unread.split("\n\n")[0], `tsc: no findings\n${doubt} tools/out.ts`);
    await write({ "src/cart.ts": `export const price: number = "free";\n` });
    const broken = await call(server, "check", { path: "src/cart.ts" });
    assert.match(broken, /^tsc: 1 error in src\/cart\.ts \[t\d+\]\n/);
    assert.ok(!broken.includes(doubt));
    await write({ "src/cart.ts": "export const price = 1;\n" });
    await write({ ".oxlintrc.json": "nonsense" });
    assert.match(
      await call(server, "check"),
      /tsc: no findings\n\noxlint: exit 1 \[t\d+\]\nFailed to parse oxlint configuration file/,
    );
  });

  it("checks modules of Go by go vet, which builds them", async function () {
    if (spawnSync("go", ["version"]).status !== 0) leaveOut(this, "go is not on the PATH");
    await write({
      "go.mod": "module m.example/svc\n\ngo 1.21\n",
      "cart/cart.go": `package cart\n\nimport "fmt"\n\nfunc Show() { fmt.Printf("%d\\n", "seven") }\n`,
      "bad/bad.go": "package bad\n\nfunc F() int { return missing }\n",
    });
    const text = await call(servers()[0], "check");
    assert.match(text, /^go vet: 2 errors \[t1\]\n/);
    assert.match(text, /cart\/cart\.go\n5:\d+ fmt\.Printf format %d has arg "seven" of wrong type string/);
    assert.match(text, /bad\/bad\.go\n3:\d+ undefined: missing/);
  });

  it("checks nothing where nothing is configured", async () => {
    await write({ "package.json": "{}", "src/a.ts": "const a: number = '';" });
    assert.match(await call(servers()[0], "check"), /^No type or style checker was found at .*\nSupported are tsc/);
  });

  it("names each checker that is configured and not installed, with the command that installs it", async () => {
    await write({
      "package.json": `{"devDependencies": {"eslint": "9"}}`,
      "eslint.config.js": "export default [];",
      "biome.json": "{}",
      "src/a.ts": "",
    });
    const [server] = servers();
    const absent = [
      `eslint is configured in ${folder}, but not installed: run \`npm install\` there`,
      `biome is configured in ${folder}, but not installed: run \`npm install --save-dev @biomejs/biome\` there`,
    ];
    assert.equal(await call(server, "check"), absent.join("\n"));
    await write({ "node_modules/@biomejs/biome/package.json": `{"bin": {"biome": "b.js"}}` });
    await write({ "node_modules/@biomejs/biome/b.js": "console.log(JSON.stringify({ diagnostics: [] }))" });
    assert.match(await call(server, "check"), new RegExp(`^biome[^]*\n\nnote: ${absent[0]?.slice(0, 20) ?? ""}`));
  });

  it("says what it knows where there are no tests, and names a path that is not there", async () => {
    await write({ "package.json": "{}" });
    const [server] = servers();
    assert.match(await call(server, "run_tests"), /^No project with tests was found at .*\nSupported are vitest, jest/);
    assert.match(await call(server, "run_tests", { path: "gone" }), /^path: "gone" does not exist\./);
  });

  it("runs nothing in a folder that nobody trusts", async () => {
    await write({ "package.json": `{"scripts": {"test": "echo ran > marker"}}` });
    const distrust = new FolderTrust({
      realPath: (path) => Promise.resolve(path),
      has: () => Promise.resolve(false),
      add: () => Promise.resolve(),
      isRefused: () => Promise.resolve(false),
      refuse: () => Promise.resolve(),
    });
    const text = await call(servers(distrust)[0], "run_tests");
    assert.match(text, /is not trusted, so nothing was run\./);
    assert.deepEqual(await readdir(folder), ["package.json"]);
  });
});
