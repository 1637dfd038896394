import assert from "node:assert/strict";
import MarkdownIt from "markdown-it";
import { Style } from "../../../src/app/cli/style.js";
import { MarkdownText } from "../../../src/app/cli/terminal-chat/markdown-text.js";
import { forScreen, wrapped, WrappedText } from "../../../src/app/cli/wrapped-text.js";
import { ChatFixture, TurnAgent } from "./terminal-chat-fixture.js";

/** What is drawn of a text that comes in pieces of three letters. */
function drawn(text: string, { isColoured = false, columns = 40 } = {}): string {
  const markdown = new MarkdownText(new MarkdownIt(), new Style(isColoured), () => columns);
  const pieces = text.match(/[^]{1,3}/g) ?? [];
  return pieces.map((piece) => markdown.push(piece)).join("") + markdown.end();
}

describe("Markdown in a terminal", () => {
  const texts: readonly [what: string, text: string, shown: string][] = [
    ["headings, emphasis and code", "# Title #\n**bold** and *so* `code`", "Title\nbold and so code"],
    [
      "lists, with further rows below the words",
      `- ${"word ".repeat(9)}end`,
      `• ${"word ".repeat(6)}word\n  word word end`,
    ],
    ["numbers of a list, and its levels", "1. one\n   - two\n10) ten", "1. one\n   • two\n10) ten"],
    ["quotes", "> > said", "│ │ said"],
    ["blocks of code as they are", "```sh\n**x** | # y\n```\n**x**", "```sh\n**x** | # y\n```\nx"],
    [
      "links with their addresses",
      "[Docs](https://a.example/) <https://b.example>",
      "Docs (https://a.example/)\n<https://b.example>",
    ],
    ["tables", "| a | b |\n|---|:-:|\n| `long` | x \\| y |\nend", "a     b\nlong  x | y\nend"],
    [
      "tables that are too wide, row by row",
      `| a | b |\n|---|---|\n| ${"w ".repeat(20)}| b |`,
      `a · b\n${"w ".repeat(19)}w\n  · b`,
    ],
    ["a table row whose table does not end", "| a |", "a"],
    ["rules", "---", "─".repeat(40)],
    [
      "HTML and entities that a terminal could obey, harmlessly",
      "<b>x</b> &#27;[31m &rlm;",
      "<b>x</b> \uFFFD[31m <U+200F>",
    ],
  ];
  for (const [what, text, shown] of texts) it(`shows ${what}`, () => assert.equal(drawn(text), shown));

  it("is coloured", () => {
    assert.equal(
      drawn("# A `b`\n- **c**", { isColoured: true }),
      ["\u001b[1mA \u001b[22m\u001b[36mb\u001b[39m", "\u001b[2m• \u001b[22m\u001b[1mc\u001b[22m"].join("\n"),
    );
  });

  it("shows words as they come, until markup is open", () => {
    const markdown = new MarkdownText(new MarkdownIt(), new Style(false), () => 40);
    const pieces = ["One t", "wo ", "**thr", "ee** fo", "ur\n- fi", "ve si", "x `a", "\n"].map((piece) =>
      markdown.push(piece),
    );
    assert.deepEqual(pieces, ["One t", "wo", "", " three fo", "ur\n• fi", "ve si", "x", " `a\n"]);
  });

  const answer = "# Done\nAll **well**.";
  const agent = (): TurnAgent =>
    new TurnAgent((turn) => {
      turn.say(answer);
      turn.end("end_turn");
    });
  for (const [what, options, shown] of [
    ["is drawn in a terminal", { terminals: "output" }, "Done\nAll well.\n"],
    ["stays as it is for a program", {}, `${answer}\n`],
    ["stays as it is without colours", { terminals: "output", env: { NO_COLOR: "1" } }, `${answer}\n`],
  ] as const) {
    it(what, async () => {
      const chat = new ChatFixture(agent(), options);
      await chat.run("hello");
      assert.equal(chat.output.plain, shown);
    });
  }
});

describe("words in a terminal", () => {
  it("go to the next row whole, as they come", () => {
    const text = new WrappedText(() => 30);
    const pieces = ["the fi", "rst two thirds of ", "a four", "th\nfi", "ve"].map((piece) => text.push(piece));
    assert.deepEqual([...pieces, text.end()], ["the fi", "rst two thirds of", " a", "\nfourth\nfi", "ve", ""]);
  });

  it("stay below the first word of their line", () => {
    assert.equal(wrapped(`    ${"word ".repeat(6)}end`, 24), "    word word word word\n    word word end");
    assert.equal(wrapped("漢字 ".repeat(9).trim(), 24), "漢字 漢字 漢字 漢字 漢字\n漢字 漢字 漢字 漢字");
  });

  it("stay in their column, except in JSON and for programs", () => {
    const text =
      "warn  uv  is not on PATH, and agents need it\n          Get it.\n" + JSON.stringify(["a ".repeat(20)]);
    const shown = "warn  uv  is not on PATH, and\n          agents need it\n          Get it.\n";
    assert.equal(forScreen(text, { isTTY: true, columns: 32 }), shown + JSON.stringify(["a ".repeat(20)]));
    assert.equal(forScreen(text, { columns: 32 }), text);
  });

  it("stay as they are in a window too narrow for any", () =>
    assert.equal(wrapped("one two three", 8), "one two three"));
});
