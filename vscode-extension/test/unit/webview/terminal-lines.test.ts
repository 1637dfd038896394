import assert from "node:assert/strict";
import fc from "fast-check";
import { styledText, TerminalLines } from "../../../webview/chat/tool/terminal-lines.js";

const esc = "\u001b";

describe("TerminalLines", () => {
  it("keeps the last lines and counts the others", () => {
    const lines = new TerminalLines(3);
    lines.update("1\n2\n3\n4\n5", 0);
    assert.deepEqual([lines.lines.map(({ text }) => text), lines.dropped], [["3", "4", "5"], 2]);
  });

  it("adds only what is new when the front of the output was cut", () => {
    const lines = new TerminalLines(10);
    lines.update("one\ntwo\n", 0);
    lines.update("two\nthree\n", 4);
    assert.deepEqual(texts(lines), ["one", "two", "three", ""]);
  });

  it("begins anew when the output does", () => {
    const lines = new TerminalLines(10);
    lines.update("one\ntwo\n", 0);
    assert.equal(lines.update("other", 0), false);
    assert.deepEqual(texts(lines), ["other"]);
  });

  it("lets a carriage return write a line again", () => {
    assert.deepEqual(shown("10%\r50%\r100%\ndone\r\n"), ["100%", "done", ""]);
  });

  it("keeps a line that ends in a carriage return until something follows", () => {
    assert.deepEqual(shown("10%\r"), ["10%"]);
  });

  it("takes lines back when the cursor goes up", () => {
    assert.deepEqual(shown(`a: 1\nb: 1\n${esc}[2A${esc}[2Ka: 2\n${esc}[2Kb: 2\n`), ["a: 2", "b: 2", ""]);
  });

  it("does not take erasing to the end of the line for erasing the line", () => {
    assert.deepEqual(shown(`${esc}[31m${esc}[Kfound${esc}[m${esc}[K it`), ["found it"]);
  });

  it("shows no titles, links and character sets", () => {
    assert.deepEqual(shown(`${esc}]0;title\u0007a${esc}]8;;https://x${esc}\\b${esc}(B`), ["ab"]);
  });

  it("lets backspaces remove characters", () => {
    assert.deepEqual(shown("abc\b\bX"), ["aX"]);
  });

  it("leaves colour codes alone where backspaces stand after them", () => {
    assert.deepEqual(shown(`a${esc}[31m\b\bred${esc}[0m\b`), ["ared"]);
  });

  // Each of these took minutes, or the square of its length, before the time limit of a test.
  for (const [name, text, expected] of [
    ["backspaces", `${"a".repeat(400_000)}${"\b".repeat(400_000)}end`, ["end"]],
    ["carriage returns", `${"\r".repeat(400_000)}x\r`, ["x"]],
    ["digits of a sequence that never ends", `${esc}[${"1".repeat(400_000)}\u0001`, undefined],
    ["beginnings of titles", `${esc}]`.repeat(200_000), undefined],
  ] as const) {
    it(`reads ${name} in time that grows with their number only`, () => {
      const all = shown(text);
      assert.deepEqual(all, expected ?? all);
      assert.ok(all.join("").length <= 4_001);
    });
  }

  it("goes on with the colour of the line before", () => {
    const lines = new TerminalLines(10);
    lines.update(`${esc}[32mgreen\nstill\n${esc}[0mplain`, 0);
    assert.deepEqual(
      lines.lines.map(({ opening, text }) =>
        styledText(opening + text).map(({ colour }) => colour?.includes("ansiGreen") ?? false),
      ),
      [[true], [true], [false]],
    );
  });

  it("shows the same however plain output arrives", () => {
    const part = fc.constantFrom("a", "\n", "bc\n", "\r\n", "word ");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.nat(100), (parts, at) => {
        const text = parts.join("");
        const lines = new TerminalLines(12);
        lines.update(text.slice(0, at), 0);
        lines.update(text, 0);
        const whole = new TerminalLines(12);
        whole.update(text, 0);
        assert.deepEqual(texts(lines), texts(whole));
      }),
    );
  });
});

describe("styledText", () => {
  it("makes runs with the colours of the theme's terminal, of the cube and of true colour", () => {
    assert.deepEqual(
      styledText(`${esc}[1;91mred${esc}[0m ${esc}[38;5;202morange${esc}[0m${esc}[48;2;1;2;3mdark${esc}[0m`),
      [
        {
          text: "red",
          colour:
            "color-mix(in srgb, var(--vscode-terminal-ansiBrightRed) 60%, var(--vscode-terminal-foreground, var(--vscode-foreground)))",
          classes: ["output-bold"],
        },
        { text: " ", classes: [] },
        { text: "orange", colour: "rgb(255, 95, 0)", classes: [] },
        { text: "dark", background: "rgb(1, 2, 3)", classes: [] },
      ],
    );
  });
});

function shown(text: string): string[] {
  const lines = new TerminalLines(100);
  lines.update(text, 0);
  return lines.lines.map(({ opening, text }) =>
    styledText(opening + text)
      .map((run) => run.text)
      .join(""),
  );
}

function texts(lines: TerminalLines): string[] {
  return lines.lines.map(({ text }) => text.replace(/\r$/u, ""));
}
