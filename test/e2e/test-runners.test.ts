import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { conductorWords } from "../support/conductor-command.js";
import type { PinnedPackage } from "../support/packages/pinned-package.js";
import { usePackage } from "../support/packages/use-package.js";
import { RawClient } from "../support/raw-client.js";
import { pathWith } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const mocha: PinnedPackage = { package: "mocha", version: "12.0.3", command: "mocha", nodeMajor: 22 };
const jest: PinnedPackage = { package: "jest", version: "30.5.2", command: "jest", nodeMajor: 20 };
const vitest: PinnedPackage = { package: "vitest", version: "5.1.1", command: "vitest", nodeMajor: 22 };
const c8: PinnedPackage = { package: "c8", version: "10.1.3", command: "c8", nodeMajor: 20 };
const nyc: PinnedPackage = { package: "nyc", version: "17.1.0", command: "nyc", nodeMajor: 20 };
const tsx: PinnedPackage = { package: "tsx", version: "4.23.15", command: "tsx", nodeMajor: 20 };

/** Projects whose tests pass only if the runner starts as the test script specifies. */
const projects: readonly {
  readonly runner: PinnedPackage;
  readonly script: string;
  readonly files: Readonly<Record<string, string>>;
  /** Path of a test file, relative to the project's folder. */
  readonly file: string;
  /** Patterns for the reports of all tests, of `file`, and of its folder. */
  readonly says: readonly [all: RegExp, file: RegExp, folder: RegExp];
}[] = [
  {
    runner: mocha,
    script: "mocha --recursive --require ./global.cjs spec",
    files: {
      "global.cjs": "global.fromScript = 1;",
      "spec/one.js": `it("one", () => { if (global.fromScript !== 1) throw new Error("no global"); });`,
      "spec/deep/two.js": `it("two", () => { if (global.fromScript !== 1) throw new Error("no global"); });`,
    },
    file: "spec/deep/two.js",
    says: [/^mocha: 2 passed$/, /^mocha: 1 passed$/, /^mocha: 1 passed$/],
  },
  {
    runner: jest,
    script: "FROM_SCRIPT=1 jest --config conf/jest.json --projects .",
    files: {
      "conf/jest.json": `{"rootDir": "..", "testMatch": ["**/*.probe.js"]}`,
      "jest.config.json": `{"testMatch": ["**/*.probe.js"]}`,
      "src/a.probe.js": `test("a", () => expect(process.env.FROM_SCRIPT).toBe("1"));`,
      "src/more/b.probe.js": `test("b", () => expect(process.env.FROM_SCRIPT).toBe("1"));`,
    },
    file: "src/more/b.probe.js",
    says: [/^jest: 2 passed$/, /^jest: 1 passed$/, /^jest: 1 passed$/],
  },
  {
    runner: vitest,
    script: "vitest --dir inner",
    files: {
      "inner/a.test.js": `import { expect, test } from "vitest"; test("a", () => expect(1).toBe(1));`,
      "inner/more/b.test.js": `import { test } from "vitest"; test("b", () => {});`,
      "outer/c.test.js": `import { test } from "vitest"; test("c", () => { throw new Error("outside"); });`,
    },
    file: "inner/more/b.test.js",
    says: [/^vitest[ \d.]*: 2 passed$/, /^vitest[ \d.]*: 1 passed$/, /^vitest[ \d.]*: 1 passed$/],
  },
  {
    runner: tsx,
    script: "node --import tsx --test checks/*.ts checks/more/*.ts",
    files: {
      "checks/a.ts": `import { it } from "node:test"; enum Kind { one } it("a", () => { if (Kind.one !== 0) throw new Error(); });`,
      "checks/more/b-test.ts": `import { it } from "node:test"; enum Kind { one } it("b", () => { if (Kind.one !== 0) throw new Error(); });`,
    },
    file: "checks/more/b-test.ts",
    says: [/^node --test [\d.]+: 2 passed$/, /^node --test [\d.]+: 1 passed$/, /^node --test [\d.]+: 1 passed$/],
  },
];

describe("the tests extension runs a project's test script", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  for (const { runner, script, files, file, says } of projects) {
    describe(`of ${runner.package} ${runner.version}`, () => {
      const binFolder = usePackage(runner);

      it(`as it stands: ${script}`, async function () {
        const client = await open(dirname(binFolder(this)), script, files);
        assert.match(await client.runTests({}), says[0]);
        assert.match(await client.runTests({ path: file }), says[1]);
        assert.match(await client.runTests({ path: dirname(file) }), says[2]);
      });

      it("without its words where only a shell understands them, and says that this is a guess", async function () {
        const client = await open(dirname(binFolder(this)), `${script} && echo done`, files);
        assert.match(
          await client.runTests({}),
          /note: .* without arguments, which is a guess: its test script is ".*&& echo done"$/,
        );
      });
    });
  }

  describe("that counts lines", () => {
    const binFolders = [c8, nyc, mocha].map((one) => usePackage(one));
    const files = {
      "half.js": "exports.half = (n) => (n % 2 === 0 ? n / 2 : (() => { throw new Error(); })());",
      "test/half.js": `it("halves", () => require("assert").equal(require("../half.js").half(4), 2));`,
    };

    for (const [script, configuration] of [
      ["c8 mocha", ".c8rc.json"],
      ["nyc mocha", ".nycrc"],
      ["c8 --include half.js mocha", ".c8rc"],
    ] as const) {
      it(`fails by the threshold of ${configuration}, with the figure, and not where a part of it runs: ${script}`, async function () {
        const packages = binFolders.map((binFolder) => dirname(binFolder(this)));
        const settings = JSON.stringify({ "check-coverage": true, branches: 90, "per-file": true });
        const client = await open(packages, script, { ...files, [configuration]: settings });
        const all = await client.runTests({});
        assert.match(all, /^mocha: 1 passed, exit 1 because coverage is too low \[t1\]/);
        assert.match(all, /Coverage for branches \(50%\) does not meet .*threshold \(90%\)/);
        assert.match(await client.runTests({ path: "test/half.js" }), /^mocha: 1 passed$/);
      });
    }

    it("tells the lines of the sources, which nyc writes anew", async function () {
      const packages = binFolders.map((binFolder) => dirname(binFolder(this)));
      const throwing = "exports.half = (n) => {\n  if (n > 2) {\n    throw new Error();\n  }\n  return 1;\n};\n";
      const client = await open(packages, "nyc mocha", { ...files, "half.js": throwing });
      assert.match(await client.runTests({}), /\(half\.js:3:11\)/);
    });

    it("passes in one line where enough is covered", async function () {
      const packages = binFolders.map((binFolder) => dirname(binFolder(this)));
      const client = await open(packages, "c8 --check-coverage --lines 90 mocha", files);
      assert.match(await client.runTests({}), /^mocha: 1 passed$/);
    });

    it("says that nothing was counted where that is not installed", async function () {
      const client = await open(dirname(binFolders[2]?.(this) ?? ""), "c8 --lines 99 mocha", files);
      assert.match(
        await client.runTests({}),
        /^mocha: 1 passed\nnote: mocha .* without c8, which is not installed: no coverage was checked$/,
      );
    });
  });

  /** The command's server of the extension, in a project of these files; of several folders of packages, each gives its own. */
  async function open(
    packages: string | readonly string[],
    script: string,
    files: Readonly<Record<string, string>>,
  ): Promise<{ runTests(args: object): Promise<string> }> {
    const { workspace, env } = scope().use(await createRunFolder("test-runners"));
    await write(workspace, { ...files, "package.json": JSON.stringify({ scripts: { test: script } }) });
    const modules = join(workspace, "node_modules");
    if (typeof packages === "string") await symlink(packages, modules, "junction");
    else {
      await mkdir(modules);
      for (const [index, folder] of packages.entries()) {
        const name = [c8, nyc, mocha][index]?.package ?? "";
        await symlink(join(folder, name), join(modules, name), "junction");
      }
    }
    const client = scope().use(
      new RawClient({
        words: [...conductorWords, "mcp", "tests", "--trusted-folder", workspace],
        env: { ...env, PATH: pathWith() },
        cwd: workspace,
      }),
    );
    const clientInfo = { name: "test", version: "1" };
    await client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    return {
      async runTests(args) {
        const { content } = JSON.parse(
          (await client.request("tools/call", { name: "run_tests", arguments: args })).text,
        ) as {
          readonly content: readonly { readonly text: string }[];
        };
        return content[0]?.text ?? "";
      },
    };
  }
});

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
