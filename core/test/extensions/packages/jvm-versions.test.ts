import assert from "node:assert/strict";
import { compareJvmVersions } from "../../../src/extensions/packages/jvm/artifact-stores.js";

describe("versions of artifacts", () => {
  it("are ordered as Maven orders them", () => {
    const sorted = [
      "1.0-alpha1",
      "1.0-beta2",
      "1.0-rc1",
      "1.0-SNAPSHOT",
      "1.0",
      "1.0.1",
      "1.2",
      "1.10",
      "2.0",
      "33.4.0-jre",
    ];
    assert.deepEqual(sorted.toReversed().toSorted(compareJvmVersions), sorted);
    assert.equal(compareJvmVersions("1.0.0", "1.0"), 0);
    assert.equal(compareJvmVersions("1.0.Final", "1.0"), 0);
  });
});
