import assert from "node:assert/strict";
import fc from "fast-check";
import { MarkdownCutter } from "../../../webview/chat/markdown/markdown-cutter.js";
import { markdownToHtml } from "../../../webview/chat/markdown/markdown-html.js";

describe("MarkdownCutter", () => {
  it("cuts where a new paragraph begins after an empty line", () => {
    assert.deepEqual(cut("One\nline.\n\nTwo.\n\nThree"), { pieces: ["One\nline.\n\n"], tail: "Two.\n\nThree" });
  });

  it("decides by whole lines only, as a line's kind is not known before its end", () => {
    assert.deepEqual(cut("One.\n\n2"), { pieces: [], tail: "One.\n\n2" });
  });

  it("keeps a list together across empty lines", () => {
    const list = "1. a\n\n2. b\n\n   more of b\n";
    assert.deepEqual(cut(`${list}\nText.\n`), { pieces: [`${list}\n`], tail: "Text.\n" });
  });

  it("cuts before a heading without an empty line", () => {
    assert.deepEqual(cut("- a\n# T\n"), { pieces: ["- a\n"], tail: "# T\n" });
  });

  it("cuts before and after a code block, and not inside it", () => {
    assert.deepEqual(cut("Text\n```ts\na\n\nb\n```\nEnd"), {
      pieces: ["Text\n", "```ts\na\n\nb\n```\n"],
      tail: "End",
    });
  });

  it("leaves a code block inside a list item to the list", () => {
    assert.deepEqual(cut("- ```\n  a\n\n  b\n  ```\n\nText.\n"), {
      pieces: ["- ```\n  a\n\n  b\n  ```\n\n"],
      tail: "Text.\n",
    });
  });

  it("does not take a longer fence's inner fence for its end", () => {
    assert.deepEqual(cut("````md\n```\n````\n"), { pieces: ["````md\n```\n````\n"], tail: "" });
  });

  it("knows the language and the code of a block that is still being written", () => {
    const cutter = new MarkdownCutter();
    const text = "See:\n\n```rust ignore\nfn a() {}\n";
    cutter.extend(text);
    const fence = cutter.openFence;
    assert.deepEqual([fence?.language, text.slice(fence?.codeStart)], ["rust", "fn a() {}\n"]);
  });

  it("refuses text that is no longer form of the one before", () => {
    const cutter = new MarkdownCutter();
    cutter.extend("One");
    assert.equal(cutter.extend("Two"), undefined);
  });

  it("loses nothing and cuts at the same places however the text arrives", () => {
    const line = fc.constantFrom(
      "",
      "Text.",
      "- a",
      "  b",
      "1. c",
      "```",
      "```js",
      "~~~",
      "# H",
      "> q",
      "| a |",
      "    code",
      "**b**",
      "* * *",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.array(fc.nat(200), { maxLength: 8 }), (lines, stops) => {
        const text = lines.join("\n");
        const cutter = new MarkdownCutter();
        const pieces: string[] = [];
        for (const stop of [...stops].sort((a, b) => a - b)) pieces.push(...(cutter.extend(text.slice(0, stop)) ?? []));
        pieces.push(...(cutter.extend(text) ?? []));
        assert.equal(pieces.join("") + cutter.tail, text);
        assert.deepEqual({ pieces, tail: cutter.tail }, cut(text));
      }),
    );
  });

  it("makes pieces whose HTML is that of the whole", () => {
    const line = fc.constantFrom(
      "",
      "Text *a*.",
      "- a",
      "  b",
      "1. c",
      "```",
      "```js",
      "# H",
      "> q",
      "    code",
      "Word",
      "***",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 25 }), (lines) => {
        const text = lines.join("\n");
        const { pieces, tail } = cut(text);
        assert.equal([...pieces, tail].map(markdownToHtml).join(""), markdownToHtml(text));
      }),
      { numRuns: 500 },
    );
  });
});

function cut(text: string): { pieces: string[]; tail: string } {
  const cutter = new MarkdownCutter();
  const pieces = cutter.extend(text) ?? [];
  return { pieces, tail: cutter.tail };
}
