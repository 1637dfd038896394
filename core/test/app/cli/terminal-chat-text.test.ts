import assert from "node:assert/strict";
import { lineDiff } from "../../../src/app/cli/terminal-chat/line-diff.js";
import { safeLine, safeText, SafeTextStream } from "../../../src/app/cli/terminal-chat/safe-text.js";

describe("safeText", () => {
  const texts: [what: string, text: string, safe: string][] = [
    ["newlines and tabs", "a\n\tb", "a\n\tb"],
    ["line ends of Windows", "a\r\nb", "a\nb"],
    ["writing systems, emoji and their joiners", "漢字 👩‍🚀 ❤️ שלום", "漢字 👩‍🚀 ❤️ שלום"],
    ["controls", "\u0000\u001b[31m\u0008\r\u007f", "␀␛[31m␈␍␡"],
    ["C1 controls", "\u009b31m", "<U+009B>31m"],
    ["bidi controls", "\u202e\u2066\u200f", "<U+202E><U+2066><U+200F>"],
    ["line separators", "\u2028", "<U+2028>"],
    ["invisible characters", "\u200b\ufeff\u{e0041}", "<U+200B><U+FEFF><U+E0041>"],
    ["lone surrogates", "\ud83e", "<U+D83E>"],
  ];
  for (const [what, text, safe] of texts) {
    it(`${text === safe ? "keeps" : "makes harmless"} ${what}`, () => assert.equal(safeText(text), safe));
  }

  it("makes one line of many", () => assert.equal(safeLine(" a\n\n\tb\u001b "), "a b␛"));
});

describe("SafeTextStream", () => {
  it("joins characters and line ends that the pieces cut in two", () => {
    const stream = new SafeTextStream();
    const pieces = ["a\ud83e", "\udd80b\r", "\nc\r", "d", "\ud83e"].map((piece) => stream.push(piece));
    assert.deepEqual([...pieces, stream.end()], ["a", "🦀b", "\nc", "␍d", "", "<U+D83E>"]);
  });
});

describe("lineDiff", () => {
  const shown = (before: string | undefined, after: string): string =>
    lineDiff(before, after)
      .map(({ mark, text }) => mark + text)
      .join("|");

  it("shows a new file as added", () => assert.equal(shown(undefined, "a\nb\n"), "+a|+b"));
  it("shows nothing of equal texts but that there is something", () => assert.equal(shown("a\n", "a\n"), "@"));
  it("keeps two lines around a change and marks what it leaves out", () => {
    assert.equal(shown("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nX\n6\n7\n8\n"), "@| 3| 4|-5|+X| 6| 7|@");
  });
  it("finds the lines that stay between two changes", () => {
    assert.equal(shown("a\nb\nc\nd", "x\nb\nc\ny"), "-a|+x| b| c|-d|+y");
  });
  it("shows a change that is too large to compare as removed and added", () => {
    const many = (letter: string): string => `${letter}\n`.repeat(1_001);
    const marks = lineDiff(many("a"), many("b")).map(({ mark }) => mark);
    assert.deepEqual([marks.indexOf("+"), marks.length], [1_001, 2_002]);
  });
});
