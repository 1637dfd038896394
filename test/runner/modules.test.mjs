import assert from "node:assert/strict";
import { moduleProblems } from "../../scripts/modules/check.mjs";
import { readSources } from "../../scripts/modules/import-graph.mjs";
import { allOfCore, modules } from "../../scripts/modules/table.mjs";

describe("the check of modules", () => {
  /** What is wrong with files of these texts, by path. */
  const problemsOf = (texts) => moduleProblems(readSources(new Map(Object.entries(texts))));

  it("finds every pair of modules of which one may not import the other", () => {
    const used = 'import { used } from "./used.js";\nused();\n';
    for (const from of modules) {
      for (const to of modules) {
        const isAllowed =
          from === to ||
          from.modules.includes(to.path) ||
          (from.modules.includes(allOfCore) && to.path.startsWith("core/src/"));
        // A path that stands for what no other row has holds files of its own alone.
        const target = `${to.path}/planted.ts`;
        const up = "../".repeat(from.path.split("/").length);
        const problems = problemsOf({
          [`${from.path}/planting.ts`]: used.replace("./used.js", `${up}${to.path}/planted.js`),
          [target]: "export function used() {}\n",
        });
        const expected = isAllowed ? [] : [`${from.path}/planting.ts imports ${target}, which ${from.path} may not`];
        assert.deepEqual(problems, expected);
      }
    }
  });

  it("finds a package that a module may not use, and the system outside of a system half", () => {
    const text = 'import "node:fs";\nimport "lit";\n';
    assert.deepEqual(problemsOf({ "core/src/settings/a.ts": text, "core/src/settings/node.ts": text }), [
      "core/src/settings/a.ts imports node:fs, which core/src/settings may not",
      "core/src/settings/a.ts imports lit, which core/src/settings may not",
      "core/src/settings/node.ts imports lit, which core/src/settings may not",
    ]);
  });

  it("finds what pure code imports of its own system half", () => {
    const texts = {
      "core/src/settings/a.ts": 'import { b } from "./node.js";\nb();\n',
      "core/src/settings/node.ts": "export const b = () => 1;\n",
    };
    assert.deepEqual(problemsOf(texts), [
      "core/src/settings/a.ts imports core/src/settings/node.ts, which core/src/settings may not",
    ]);
  });

  it("finds imports that are loaded on demand, of types, and of built code", () => {
    const texts = {
      "core/src/base/late.ts": 'export const late = async () => (await import("../settings/json.js")).Json;\n',
      "core/src/base/type.ts": 'export type One = import("../settings/json.js").Json;\n',
      "core/src/settings/json.ts": "export class Json {}\n",
      "test/user.ts":
        'import { late } from "../core/src/base/late.js";\nimport type { One } from "../core/dist/src/base/type.js";\n',
      "vscode-extension/src/acp/a.ts": 'import "../../../core/dist/src/base/late.js";\n',
    };
    assert.deepEqual(problemsOf(texts), [
      "core/src/base/late.ts imports core/src/settings/json.ts, which core/src/base may not",
      "core/src/base/type.ts imports core/src/settings/json.ts, which core/src/base may not",
      "vscode-extension/src/acp/a.ts imports core/src/base/late.ts, which vscode-extension/src/acp may not",
    ]);
  });

  it("finds every way to start a program around startProgram, however its module is loaded", () => {
    const forms = [
      'import { spawn } from "node:child_process";\nspawn("x");',
      'import "child_process";',
      'import { fork } from "node:cluster";\nfork();',
      'export const a = async () => (await import("node:child_process")).spawn("x");',
      'export const a = () => import("child_process").then(({ spawn }) => spawn("x"));',
      'export * from "node:child_process";',
      'export { spawn } from "node:child_process";',
      'require("node:child_process");',
      'import programs = require("node:child_process");\nprograms.spawn("x");',
      'process.getBuiltinModule("node:child_process");',
      'process["getBuiltinModule"]("child_process");',
    ];
    const unknown = [
      "export const a = (name: string) => import(name);",
      "export const a = () => import(`node:${'child'}_process`);",
      "export const a = (name: string) => process.getBuiltinModule(name);",
      "export const { getBuiltinModule } = process;",
      'import { createRequire } from "node:module";\ncreateRequire(import.meta.url)("child_process");',
      'process.binding("spawn_sync");',
      'process.execve("/bin/sh");',
    ];
    const allowed = [
      'import type { ChildProcess } from "node:child_process";\nlet a: ChildProcess;',
      'import { type ChildProcess } from "node:child_process";\nlet a: ChildProcess;',
      'let a: import("node:child_process").ChildProcess;',
      'process.getBuiltinModule("node:http");',
      'await import("node:http");',
    ];
    const found = (text, file) => problemsOf({ [file]: text }).filter((problem) => problem.includes(" loads "));
    for (const file of ["core/src/app/a.ts", "lsp-adapter/src/a.ts", "vscode-extension/src/acp/a.ts"]) {
      const named = (text) => found(text, file).filter((problem) => problem.includes("startProgram"));
      assert.deepEqual(
        forms.filter((text) => named(text).length === 0),
        [],
      );
      assert.deepEqual(
        unknown.filter((text) => found(text, file).length === 0),
        [],
      );
      assert.deepEqual(
        allowed.filter((text) => found(text, file).length > 0),
        [],
      );
    }
    assert.deepEqual(
      forms.flatMap((text) => found(text, "core/src/base/node/start-program.ts")),
      [],
    );
  });

  it("finds files that import each other, with what is loaded on demand", () => {
    const one = (name) => `import { ${name} } from "./${name}.js";\n`;
    const texts = {
      "core/src/settings/a.ts": `${one("b")}export const a = () => b();\n`,
      "core/src/settings/b.ts": `${one("c")}export const b = () => c();\n`,
      "core/src/settings/c.ts": `${one("a")}export const c = () => a();\n`,
      "core/src/settings/d.ts": 'export const d = () => import("./e.js");\n',
      "core/src/settings/e.ts": `${one("d")}export const e = d;\n`,
    };
    assert.deepEqual(problemsOf(texts), [
      "These import each other: core/src/settings/a.ts, core/src/settings/b.ts, core/src/settings/c.ts",
      "These import each other: core/src/settings/d.ts, core/src/settings/e.ts",
    ]);
  });

  it("finds exports that nobody imports", () => {
    const texts = {
      "core/src/settings/a.ts": "export const used = 1;\nexport interface Unused {}\nexport { used as again };\n",
      "core/test/a.test.ts": 'import { used } from "../src/settings/a.js";\n',
    };
    assert.deepEqual(problemsOf(texts), [
      "core/src/settings/a.ts:2 exports Unused, which nobody uses",
      "core/src/settings/a.ts:3 exports again, which nobody uses",
    ]);
  });
});
