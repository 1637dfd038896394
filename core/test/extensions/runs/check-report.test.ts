import assert from "node:assert/strict";
import { readRuff } from "../../../src/extensions/runs/check-report.js";

describe("the report of a checker", () => {
  it("has what ruff warns of beside its findings", () => {
    const errors = "warning: No Python files found under the given path(s)\nFound nothing else.\n";
    assert.deepEqual(readRuff("[]\n", errors), {
      findings: [],
      notices: ["No Python files found under the given path(s)"],
    });
  });
});
