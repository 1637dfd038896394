import assert from "node:assert/strict";
import { faultLines, shortFault, wholeFault } from "../../../src/extensions/runs/fault-lines.js";
import type { TestFault } from "../../../src/extensions/runs/test-report.js";

function faultOf(message: string, more: Partial<TestFault> = {}): TestFault {
  return { kind: "test", name: "adds", file: "/w/a.py", line: 3, stack: "", output: "", message, ...more };
}

describe("the difference that a failed test shows", () => {
  const same = Array.from({ length: 40 }, (_one, index) => `      ${index},`);

  it("of pytest keeps which sign is which side's, the key of an item and the value of an attribute", () => {
    const message = [
      "AssertionError: assert {'k0': 0} == {'k0': 0}",
      "Common items:",
      ...same,
      "Differing items:",
      "{'k31': {'x': 1}} != {'k31': {'x': 2}}",
      "Drill down into differing attribute n:",
      "  n: 1 != 2",
      "Full diff: (-: missing in left side, +: extra in left side)",
      ...same,
      "-     'x': 2,",
      "+     'x': 1,",
      ...same,
    ].join("\n");
    const shown = faultLines(faultOf(message), "/w", shortFault);
    assert.deepEqual(shown.slice(2, 7), [
      " … 42 lines left out …",
      " {'k31': {'x': 1}} != {'k31': {'x': 2}}",
      " … 1 line left out …",
      "   n: 1 != 2",
      " Full diff: (-: missing in left side, +: extra in left side)",
    ]);
    assert.ok(shown.includes(" -     'x': 2,") && shown.includes(" +     'x': 1,"));
  });

  it("names few of the items that differ, and the difference after them", () => {
    const items = Array.from({ length: 30 }, (_one, index) => `{'k${index}': 0} != {'k${index}': 1}`);
    const message = [
      "assert a == b",
      "Differing items:",
      ...items,
      "Full diff: (-: a, +: b)",
      " {",
      " 5,",
      "- 1",
      "+ 0",
      ...same,
    ];
    const shown = faultLines(faultOf(message.join("\n")), "/w", shortFault);
    assert.equal(shown.filter((line) => line.includes("!=")).length, 5);
    assert.ok(shown.includes(" - 1") && shown.includes(" + 0"));
  });

  it("counts what was left out before", () => {
    const lines = ["not equal", ...same, "… 100 lines left out …", ...same, "- 1", "+ 2"];
    assert.equal(faultLines(faultOf(lines.join("\n")), "/w", shortFault)[2], " … 178 lines left out …");
  });

  const long = "a".repeat(3_000);
  for (const [form, one, pointed, other, more] of [
    ["a difference", `- ${long}c`, [], `+ ${long}b`, {}],
    ["a difference with signs below", `- ${long}c`, [`? ${" ".repeat(3_000)}^`], `+ ${long}b`, {}],
    ["what was compared", "", [], "", { expected: `${long}c`, actual: `${long}b` }],
  ] as const) {
    it(`of long lines is shown, not cut off, as ${form}, in short and in detail`, () => {
      for (const limits of [shortFault, wholeFault]) {
        const message = ["not equal", ...(one === "" ? [] : [one, ...pointed, other])].join("\n");
        const shown = faultLines(faultOf(message, more), "/w", limits).join("\n");
        assert.match(shown, /… 2960 identical characters left out …a{40}c\n/);
        assert.match(shown, /… 2960 identical characters left out …a{40}b$/);
      }
    });
  }
});
