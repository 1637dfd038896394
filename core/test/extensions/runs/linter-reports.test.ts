import assert from "node:assert/strict";
import type { CheckReport } from "../../../src/extensions/runs/check-report.js";
import { readGoVet, readMypy } from "../../../src/extensions/runs/check-report.js";
import { formatCheckRun } from "../../../src/extensions/runs/format-check-report.js";
import { readGcc } from "../../../src/extensions/runs/gcc-messages.js";
import { readBiome, readGolangci, readOxlint, readPyright } from "../../../src/extensions/runs/linter-reports.js";

const exit = { code: 1, signal: null, durationMs: 1 };
const facts = { name: "lint", exit, handle: "t1", folder: "/w", timeoutMs: 1_000, raw: "x".repeat(5_000) };
const shown = (report: CheckReport | undefined): string[] => formatCheckRun(report, facts).text.split("\n");

describe("what linters write for machines", () => {
  it("is read behind the words before it, which are notes", () => {
    const found = `{ "message": "Unexpected token", "severity": "error", "filename": "a.js", "labels": [{ "span": { "line": 1, "column": 14 } }] }`;
    const text = `No files found in b.\n{ "diagnostics": [${found}] }\n`;
    assert.deepEqual(shown(readOxlint(text)), [
      "lint: 1 error in a.js [t1]",
      "1:14 Unexpected token",
      "note: No files found in b.",
    ]);
  });

  it("is nothing where they wrote something else", () => {
    const readers = [readOxlint, readPyright, readBiome, (text: string) => readGolangci(text, "")];
    for (const read of readers) {
      assert.equal(read("Configuration error\n"), undefined);
      assert.equal(read('{ "cut": '), undefined);
      assert.equal(read('{ "other": 1 }')?.findings.length ?? 0, 0);
    }
  });

  it("has what golangci-lint says of a package that does not build once, at the place of the compiler", () => {
    const issue = (text: string, line: number, column: number): object => ({
      ...{ FromLinter: "typecheck", Text: text },
      Pos: { Filename: "cart/a.go", Line: line, Column: column },
    });
    const Issues = [issue(": # m/cart\ncart/a.go:4:5: syntax error: missing x", 1, 0), issue("missing x", 4, 5)];
    assert.deepEqual(shown(readGolangci(`${JSON.stringify({ Issues })}\n1 issues:\n`, "")), [
      "lint: 1 error in cart/a.go [t1]",
      "4:5 typecheck syntax error: missing x",
    ]);
  });
});

describe("a report of findings", () => {
  const finding = (line: number, message: string): CheckReport["findings"][number] => ({
    ...{ file: "/w/a.js", line, column: 7, level: "error", code: "unused", message },
  });

  it("has those that differ in a name as one, each with its place", () => {
    const findings = ["x", "y", "z"].map((name, index) => finding(index + 1, `'${name}' is never 'used'.`));
    assert.deepEqual(shown({ findings, notices: [] }), [
      "lint: 3 errors in a.js [t1]",
      "1:7 x, 2:7 y, 3:7 z → unused … is never 'used'.",
    ]);
    assert.equal(shown({ findings: findings.slice(0, 2), notices: [] }).length, 3);
  });

  it("says the same advice once, and numbers only what is shortened", () => {
    const advice = "Try to install the types of the package that it is from.";
    const long = Array.from({ length: 9 }, (_, index) => `line ${index}`).join("\n");
    const findings = [finding(1, `No 'x'. ${advice}`), finding(2, `No 'y'. ${advice}`), finding(3, long)];
    assert.deepEqual(shown({ findings, notices: [] }).slice(1, 4), [
      `1:7 unused No 'x'. ${advice}`,
      "2:7 unused No 'y'.",
      "3) 3:7 unused line 0",
    ]);
  });

  it("says that everything else is unknown where mypy could not check", () => {
    const text =
      '{"file": "a.py", "line": 1, "column": 7, "message": "invalid", "code": "syntax", "severity": "error"}\n';
    assert.equal(shown(readMypy(text, 2))[0], "lint: 1 error in a.py, which prevented further checking [t1]");
    assert.equal(shown(readMypy(text, 1))[0], "lint: 1 error in a.py [t1]");
  });

  it("has what both go build and go vet say once", () => {
    const text = "# m/a\na/a.go:4:5: syntax error: missing x\n# m/a\nvet: a/a.go:4:5: missing x (and 1 more errors)\n";
    assert.deepEqual(shown(readGoVet(text)), ["lint: 1 error in a/a.go [t1]", "4:5 syntax error: missing x"]);
  });
});

describe("what gcc and clang write", () => {
  it("has the place that the project wrote, behind templates of the system", () => {
    const header = "/usr/include/c++/12/bits/stl_algo.h";
    const text = [
      `In file included from /usr/include/c++/12/algorithm:61,`,
      `${header}: In instantiation of ‘void std::sort(T)’:`,
      `${header}:4820:18:   required from ‘void std::sort(T) [with T = Item]’`,
      "src/cart.cc:5:12:   required from here",
      `${header}:1938:50: error: no match for ‘operator-’`,
      " 1938 |   std::__lg(__last - __first) * 2,",
      "      |             ~~~~~~~^~~~~~~~~",
    ].join("\n");
    assert.deepEqual(readGcc(text).findings, [
      {
        file: "src/cart.cc",
        line: 5,
        column: 12,
        level: "error",
        message: `no match for ‘operator-’\nin ${header}:1938`,
      },
    ]);
    assert.deepEqual(readGcc(text).notices, []);
  });

  it("has what a header says once, with the notes of the first time, and what is said of no place", () => {
    const found = "src/h.h:2:5: warning: unused [-Wunused]\nsrc/h.h:1:1: note: declared here\n";
    const { findings, notices } = readGcc(`${found}${found}collect2: error: ld returned 1 exit status\n`);
    const message = "unused\nnote: src/h.h:1: declared here";
    assert.deepEqual(findings, [{ file: "src/h.h", line: 2, column: 5, level: "warning", code: "-Wunused", message }]);
    assert.deepEqual(notices, ["collect2: error: ld returned 1 exit status"]);
  });
});
