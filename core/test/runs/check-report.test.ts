import assert from "node:assert/strict";
import { readRuff, readTypescript } from "../../src/runs/check-report.js";

describe("the report of a checker", () => {
  it("names the projects that tsc leaves unchecked where it may not write, in place of an error of ours", () => {
    const said = (name: string): string =>
      `web/tsconfig.json(1,9): error TS6310: Referenced project '/w/${name}' may not disable emit.`;
    const { findings, notices } = readTypescript(`a.ts(1,2): error TS1: no\n${said("shop")}\n${said("stock")}\n`);
    assert.deepEqual(
      findings.map(({ code }) => code),
      ["TS1"],
    );
    assert.deepEqual(notices, ["not checked, as it needs what tsc --build writes (TS6310): web/tsconfig.json"]);
  });

  it("has what ruff warns of beside its findings", () => {
    const errors = "warning: No Python files found under the given path(s)\nFound nothing else.\n";
    assert.deepEqual(readRuff("[]\n", errors), {
      findings: [],
      notices: ["No Python files found under the given path(s)"],
    });
  });
});
