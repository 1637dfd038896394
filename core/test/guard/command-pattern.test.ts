import assert from "node:assert/strict";
import { allowsProgram } from "../../src/guard/command-pattern.js";

const allows = (pattern: string, ...words: readonly string[]): boolean =>
  allowsProgram(pattern, { words, grant: undefined });

describe("a star in a rule that allows a command", () => {
  it("matches a part of one name", () => {
    for (const [pattern, ...words] of [
      ["rm *.log", "rm", "x.log"],
      ["cat src/*.ts", "cat", "src/a.ts"],
      ["cat */a", "cat", "src/a"],
      ["npm run --*", "npm", "run", "--silent"],
    ] as const) {
      assert.ok(allows(pattern, ...words), pattern);
    }
  });

  it("matches no slash, so that a file elsewhere is not allowed", () => {
    for (const word of ["/etc/x.log", "a/x.log", "../x.log", "a\\x.log", "--no-preserve-root/x.log"]) {
      assert.equal(allows("rm *.log", "rm", word), false, word);
    }
    assert.equal(allows("cat src/*", "cat", "src/../x"), false);
    assert.equal(allows("cat src/*", "cat", "src/.."), false);
  });

  it("matches no leading dash, so that an option is not allowed", () => {
    for (const word of ["-rf.log", "--interactive=never.log", "-.log"]) {
      assert.equal(allows("rm *.log", "rm", word), false, word);
    }
  });
});
