import assert from "node:assert/strict";
import { slowPieces } from "@symposium-dev/core/testing/node";
import { readLink } from "../../../src/features/deep-links/link.js";
import { messageIn } from "../../../src/features/scm/commit-message.js";
import { findingsIn } from "../../../src/features/scm/findings-in-answer.js";
import { quickRules } from "../../../src/features/snapshots/ignore-rules.js";

const matchers: Readonly<Record<string, (text: string) => unknown>> = {
  "the path of a link": (text) => readLink(text, ""),
  "the query of a link": (text) => readLink("prompt", text),
  "an answer with a commit message": (text) => messageIn(text),
  "a code block with a commit message": (text) => messageIn(`\`\`\`\n${text}`),
  "an answer with findings": (text) => findingsIn(text),
  "a finding": (text) => findingsIn(`- ${text}:12`),
};

describe("matchers of the editor's side for foreign text", function () {
  this.timeout(60_000);
  for (const [name, match] of Object.entries(matchers)) {
    it(`take at most 15 times as long for ten times the text: ${name}`, () => {
      assert.deepEqual(slowPieces(match), []);
    });
  }

  it("leave out rules of ignored files that could take for ever for one name", () => {
    assert.equal(
      quickRules("*.log\n*a*a*a*a*b\r\nsrc/**/*.js\n**/a/**/b/**/c/**/d\n!keep"),
      "*.log\nsrc/**/*.js\n!keep",
    );
  });
});
