import assert from "node:assert/strict";
import fc from "fast-check";
import { readCargoPackages } from "../../../src/agents/recommendations/crate-metadata.js";
import { lockedCrates } from "../../../src/agents/recommendations/used-crates.js";

describe("lockedCrates", () => {
  it("finds what another package depends on, and not the workspace's own roots", () => {
    const text = `version = 4
[[package]]
name = "app"
version = "0.1.0"
dependencies = ["a", "b 2.0.0", "c 1.0.0 (registry+https://example.com/index)"]
[[package]]
name = "a"
version = "1.0.0"
[[package]]
name = "b"
version = "1.0.0"
[[package]]
name = "b"
version = "2.0.0"
[[package]]
name = "c"
version = "1.0.0"
`;
    assert.deepEqual(lockedCrates(text), [
      { name: "a", version: "1.0.0" },
      { name: "b", version: "2.0.0" },
      { name: "c", version: "1.0.0" },
    ]);
  });

  it("says in which line a broken file is broken", () => {
    const crates = lockedCrates("version = 4\n[[package]\n");
    assert.match("kind" in crates ? crates.message : "", /^line 2: This isn't valid TOML/);
  });

  it("skips packages of another shape", () => {
    assert.deepEqual(
      lockedCrates(`[[package]]\nname = 1\n[[package]]\nname = "x"\nversion = "1"\ndependencies = [1]`),
      [],
    );
  });
});

describe("readCargoPackages", () => {
  it("is undefined for anything that is not cargo's answer, and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        assert.equal(readCargoPackages(text), undefined);
      }),
    );
  });
});
