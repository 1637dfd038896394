import assert from "node:assert/strict";
import { Sentences } from "../../../webview/chat/announcements.js";

describe("sentences to read aloud", () => {
  it("have the words of links without their targets", () => {
    assert.equal(new Sentences().next("See [the docs](https://x.org/a) here.", true), "See the docs here.");
  });

  // Each bracket began a search to the end of the text before: these took hours.
  for (const [name, text] of [
    ["brackets", "[".repeat(1_000_000)],
    ["links that never end", "[a](".repeat(500_000)],
    ["fences", "```\n".repeat(300_000)],
  ] as const) {
    it(`come out of a flood of ${name}`, () => {
      assert.match(new Sentences().next(`${text}\nThe end.`, true), /The end\.$/);
    });
  }
});
