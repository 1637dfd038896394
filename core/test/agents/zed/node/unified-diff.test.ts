import assert from "node:assert/strict";
import { unifiedDiff } from "../../../../src/agents/zed/node/settings-file.js";

describe("a unified diff", () => {
  it("is empty for equal texts", () => {
    assert.equal(unifiedDiff("a\n", "a\n", "f"), "");
  });

  it("shows three lines around what changed", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
    assert.equal(unifiedDiff(before, after, "f"), "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  });

  it("says where a file does not end with a line break", () => {
    assert.equal(
      unifiedDiff("a\nb", "a\nb\nc", "f"),
      "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n",
    );
  });

  it("begins at line 0 where there was no file", () => {
    assert.equal(unifiedDiff("", "a\n", "f"), "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
  });
});
