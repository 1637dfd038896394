import assert from "node:assert/strict";
import { shippedSize, sizeWords, viewedSize } from "../../../src/agents/registry/download-size.js";

describe("the size of a download", () => {
  it("is what we ship for a known agent's package, whatever its version, and unknown for others", () => {
    const plan = { kind: "npm", id: "x", args: [], env: {} } as const;
    const packages = ["@google/gemini-cli", "@google/gemini-cli@1.0.0", "other", "https://example.com/x.tgz"];
    const words = packages.map((name) => sizeWords(shippedSize({ ...plan, package: name })));
    const known = "about 22 MB with dependencies";
    assert.deepEqual(words, [known, known, "of unknown size", "of unknown size"]);
  });

  it("says of a package what npm says of its own files, and that what it needs comes on top", () => {
    const viewed = [
      { version: "1.0.0", "dist.unpackedSize": 1_200_000 },
      { version: "2.0.0", "dist.unpackedSize": 3_400, optionalDependencies: { "tool-linux-x64": "2.0.0" } },
      { version: "3.0.0" },
    ];
    const words = ["1.0.0", "2.0.0", "3.0.0"].map((version) => sizeWords(viewedSize(viewed, version)));
    assert.deepEqual(words, [
      "1.2 MB unpacked",
      "3.4 kB unpacked, plus dependencies of unknown size",
      "of unknown size",
    ]);
  });

  it("is that of the file where there is one", () => {
    assert.equal(sizeWords({ kind: "file", bytes: 34_200_000 }), "34.2 MB");
  });
});
