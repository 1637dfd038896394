import assert from "node:assert/strict";
import { didYouMean } from "../../src/base/nearest-word.js";

describe("the word that was probably meant", () => {
  it("is the nearest of those that are at most two letters away", () => {
    const known = ["codex", "claude-code", "eliza", "goose"];
    const said = ["claude-cod", "codx", "elzia", "gooose", "goose"].map((word) => didYouMean(word, known));
    const names = ["claude-code", "codex", "eliza", "goose", "goose"];
    assert.deepEqual(
      said,
      names.map((name) => `Did you mean ${name}? `),
    );
  });

  it("is the one that the word begins, as people call an agent", () => {
    const known = ["claude-code", "gemini-cli", "codex", "eliza"];
    assert.deepEqual(
      ["claude", "Gemini", "clau", "c"].map((word) => didYouMean(word, known)),
      ["Did you mean claude-code? ", "Did you mean gemini-cli? ", "", ""],
    );
  });

  it("is none where the word is another one, or too short to tell", () => {
    assert.deepEqual(
      ["nobody", "", "cat", "claude-code-with-more"].map((word) => didYouMean(word, ["codex", "cargo", "a"])),
      ["", "", "", ""],
    );
  });
});
