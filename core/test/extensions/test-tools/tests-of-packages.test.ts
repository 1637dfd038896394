import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Logger } from "../../../src/base/logger.js";
import type { ProxyHandlers } from "../../../src/conductor/chain/proxy.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import { testServices } from "../../../src/extensions/test-tools/node.js";
import { runsPackageScripts } from "../../../src/extensions/test-tools/package-scripts.js";
import { testsProxy } from "../../../src/extensions/test-tools/tests-proxy.js";
import { Json } from "../../../src/base/rpc/json.js";
import { nobody } from "../../../src/base/rpc/peer.js";
import { trusting } from "../../../testing/scripted-client.js";

const reporters = join(import.meta.dirname, "../../../../reporters");
const passing = `import { it } from "node:test"; it("holds", () => {});`;
/** Starts a program that would run for ever, writes down which, and never ends. */
const hanging = `
import { it } from "node:test";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
it("hangs", () => new Promise(() => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  writeFileSync("pids", child.pid + " " + process.pid);
  setInterval(() => {}, 1000);
}));`;
const nodeTest = JSON.stringify({ type: "module", scripts: { test: "node --test" } });

describe("a test script of a monorepo", () => {
  const delegating = [
    "turbo run test",
    "pnpm turbo test",
    "npx nx run-many -t test",
    "lerna run test",
    "pnpm -r test",
    "pnpm --filter=web test",
    "pnpm run -r test",
    "npm test --workspaces",
    "npm run test -ws --if-present",
    "npm test -w web",
    "yarn workspaces foreach -A run test",
    "yarn workspace web test",
    "bun run --filter '*' test",
  ];
  for (const script of delegating) {
    it(`is its packages' own: ${script}`, () => assert.equal(runsPackageScripts(script), true));
  }
  for (const script of [
    "vitest",
    "npm run unit",
    "turbo run test && ./more.sh",
    "mocha -r ts-node/register",
    "pnpm vitest",
  ]) {
    it(`is one of its own: ${script}`, () => assert.equal(runsPackageScripts(script), false));
  }
});

describe("run_tests in a monorepo", function () {
  this.timeout(120_000);
  let folder = "";
  let watchdog: Watchdog;
  let handlers: ProxyHandlers;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "tests-of-packages-")));
    watchdog = new Watchdog();
    const names = ["node-test.mjs", "events.cjs"];
    const texts = names.map(async (name) => [name, await readFile(join(reporters, name), "utf8")] as const);
    const services = testServices({ watchdog, reporters: Object.fromEntries(await Promise.all(texts)) });
    const chain = { client: nobody, successor: nobody, logger: Logger.silent };
    handlers = testsProxy({}, services, trusting(), "1").connect(chain);
  });
  afterEach(async () => {
    await handlers[Symbol.asyncDispose]?.();
    watchdog[Symbol.dispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  }

  async function runTests(args: object = {}, signal = new AbortController().signal): Promise<string> {
    const session = { sessionId: undefined, cwd: folder, signal: new AbortController().signal };
    const [server] = handlers.mcpServers?.(session) ?? [];
    const context = { signal, notify: () => undefined };
    const { json } = (await server?.call("tools/call", Json.of({ name: "run_tests", arguments: args }), context)) ?? {};
    const [block] = (json?.object?.["content"] ?? []) as readonly { readonly text: string }[];
    return block?.text ?? json?.text ?? "";
  }

  /** Those that a hanging test has started, and it itself. */
  async function pidsOf(project: string): Promise<readonly number[]> {
    for (let attempt = 0; attempt < 1_500; attempt++) {
      const text = await readFile(join(folder, project, "pids"), "utf8").catch(() => "");
      if (/^\d+ \d+$/.test(text)) return text.split(" ").map(Number);
      await pause(20);
    }
    throw new Error(`The test of ${project} did not begin.`);
  }

  async function areGone(pids: readonly number[]): Promise<void> {
    for (let attempt = 0; attempt < 1_000 && pids.some(isAlive); attempt++) await pause(20);
    assert.deepEqual(pids.filter(isAlive), []);
  }

  it("runs each package once, whoever the root's script has run them, and says so", async () => {
    await write({
      "package.json": JSON.stringify({ private: true, scripts: { test: "turbo run test" } }),
      "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
      "packages/a/package.json": nodeTest,
      "packages/a/a.test.js": passing,
      "packages/b/package.json": nodeTest,
      "packages/b/b.test.js": passing,
    });
    const texts = (await runTests()).split("\n\n");
    assert.equal(texts.length, 3);
    assert.deepEqual(
      texts.slice(0, 2).map((text) => text.replace(/ [\d.]+ /, " ")),
      ["node --test in packages/a: 1 passed", "node --test in packages/b: 1 passed"],
    );
    assert.match(
      texts[2] ?? "",
      /^note: its test script is "turbo run test", .*; it was run in the packages of .* instead$/,
    );
    const only = await runTests({ path: "packages/b" });
    assert.match(only, /^node --test [\d.]+ in packages\/b: 1 passed$/);
  });

  it("runs the root's script where its packages have no tests that are known", async () => {
    await write({
      "package.json": JSON.stringify({ private: true, scripts: { test: "pnpm -r test" } }),
      "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
      "packages/a/package.json": "{}",
    });
    assert.match(await runTests(), /^script: /);
  });

  it("ends a run and all that it started after its time", async () => {
    await write({ "package.json": nodeTest, "hangs.test.js": hanging });
    const run = runTests({ timeout_seconds: 10 });
    const pids = await pidsOf(".");
    assert.match(await run, /timed out after 10 s/);
    await areGone(pids);
  });

  it("ends, when it is cancelled, what runs in several projects at once", async () => {
    await write({
      "a/package.json": nodeTest,
      "a/hangs.test.js": hanging,
      "b/package.json": nodeTest,
      "b/hangs.test.js": hanging,
    });
    const given = new AbortController();
    const runs = Promise.allSettled(["a", "b"].map((path) => runTests({ path }, given.signal)));
    const pids = [...(await pidsOf("a")), ...(await pidsOf("b"))];
    assert.equal(pids.filter(isAlive).length, 4);
    given.abort();
    await runs;
    await areGone(pids);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
