import assert from "node:assert/strict";
import { newestFirst, parseRequirement } from "../../../src/extensions/ferris/crates/crate-version.js";

function accepted(requirement: string, versions: readonly string[]): string[] {
  const parsed = parseRequirement(requirement);
  return versions.filter((version) => parsed?.accepts(version));
}

describe("ferris: version requirements", () => {
  // Rules: https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html
  const cases: [requirement: string, yes: string[], no: string[]][] = [
    ["1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0", "1.3.0-beta"]],
    ["^1", ["1.0.0", "1.99.0"], ["0.9.9", "2.0.0"]],
    ["0.2.3", ["0.2.3", "0.2.9"], ["0.3.0", "0.2.2"]],
    ["0.0.3", ["0.0.3"], ["0.0.4", "0.0.2"]],
    ["0.0", ["0.0.0", "0.0.9"], ["0.1.0"]],
    ["0", ["0.0.1", "0.9.0"], ["1.0.0"]],
    ["~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0"]],
    ["~1", ["1.0.0", "1.9.0"], ["2.0.0"]],
    ["*", ["0.0.1", "7.0.0"], ["1.0.0-rc.1"]],
    ["1.*", ["1.0.0", "1.9.9"], ["2.0.0"]],
    ["1.2.*", ["1.2.0", "1.2.9"], ["1.3.0"]],
    ["=1.2.3", ["1.2.3", "1.2.3+build"], ["1.2.4"]],
    ["=1.2", ["1.2.0", "1.2.9"], ["1.3.0"]],
    [">1.2", ["1.3.0"], ["1.2.9"]],
    [">=1.2, <1.5", ["1.2.0", "1.4.9"], ["1.5.0", "1.1.9"]],
    ["<=1.2", ["1.2.9", "0.1.0"], ["1.3.0"]],
    ["=1.0.0-rc.1", ["1.0.0-rc.1"], ["1.0.0", "1.0.0-rc.2"]],
    [">=1.0.0-rc.1, <2", ["1.0.0-rc.2", "1.9.0"], ["1.0.0-alpha", "2.0.0-rc.1", "2.0.0"]],
    ["0.0.*", ["0.0.1", "0.0.9"], ["0.1.0"]],
    ["1.2.3+build", ["1.2.3", "1.9.0"], ["2.0.0"]],
    ["^1.0.0-rc.1", ["1.0.0-rc.2", "1.0.0", "1.3.0"], ["1.0.0-alpha", "1.1.0-rc.3"]],
  ];
  for (const [requirement, yes, no] of cases) {
    it(`reads ${requirement} as cargo does`, () => {
      assert.deepEqual(accepted(requirement, [...yes, ...no]), yes);
    });
  }

  for (const text of ["", "x.y", "1.2.3.4", "1 || 2", "1.2 - 1.4", "=> 1", "1 2", '1"', "1.2, "]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseRequirement(text), undefined);
    });
  }

  it("sorts by precedence, prereleases before their release", () => {
    const sorted = ["1.0.0", "1.0.0-rc.1", "1.0.0-rc.10", "1.0.0-rc.2", "1.0.0-alpha", "10.0.0", "2.0.0", "bad"];
    assert.deepEqual(sorted.toSorted(newestFirst), [
      "10.0.0",
      "2.0.0",
      "1.0.0",
      "1.0.0-rc.10",
      "1.0.0-rc.2",
      "1.0.0-rc.1",
      "1.0.0-alpha",
      "bad",
    ]);
  });
});
