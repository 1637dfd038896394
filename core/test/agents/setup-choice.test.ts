import assert from "node:assert/strict";
import { choiceIn, isWord, numberIn } from "../../src/agents/setup/read-choice.js";
import { promptText } from "../../src/conductor/choices/session-messages.js";
import { Json } from "../../src/base/rpc/json.js";

const items = [
  { id: "claude-code", name: "Claude Code" },
  { id: "codex", name: "Codex" },
];

describe("a choice in the setup chat", () => {
  for (const text of [
    "2",
    " 2 ",
    "2.",
    "2)",
    "02",
    "#2",
    "option 2",
    "Option 2.",
    "no. 2",
    "`2`",
    "codex",
    "**Codex**",
    '"CODEX"',
  ]) {
    it(`takes ${JSON.stringify(text)} for the second item`, () => {
      assert.equal(choiceIn(text, items)?.id, "codex");
    });
  }

  it("takes names with spaces, whatever the case", () => {
    assert.equal(choiceIn("claude CODE\n", items)?.id, "claude-code");
  });

  for (const text of ["", "0", "3", "-1", "1.5", "2 2", "2 please", "code", "option", "99999999999999999999", "１"]) {
    it(`takes ${JSON.stringify(text)} for no item`, () => {
      assert.equal(choiceIn(text, items), undefined);
    });
  }

  it("tells numbers from other text", () => {
    assert.deepEqual([numberIn("7."), numberIn("option 0"), numberIn("seven")], [7, 0, undefined]);
  });

  it("recognises a word by itself only", () => {
    assert.deepEqual([isWord(" `Retry` ", "retry"), isWord("retry it", "retry")], [true, false]);
  });

  it("reads the text blocks of a prompt and nothing else", () => {
    const prompt = [
      { type: "text", text: " 2" },
      { type: "resource_link", uri: "file:///a", name: "a", text: "3" },
      null,
      { type: "text", text: 5 },
    ];
    assert.deepEqual(
      [promptText(Json.of({ prompt })), promptText(Json.of({ prompt: "2" })), promptText(undefined)],
      ["2", "", ""],
    );
  });
});
