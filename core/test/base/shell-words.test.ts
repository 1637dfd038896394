import assert from "node:assert/strict";
import fc from "fast-check";
import type { Command } from "../../src/base/command.js";
import { formatShellWords, parseShellWords } from "../../src/base/shell-words.js";

function commandFrom(text: string): Command {
  const read = parseShellWords(text);
  if (read.kind === "problem") assert.fail(read.message);
  return read.command;
}

function wordsOf(text: string): string[] {
  const { command, args } = commandFrom(text);
  return [command, ...args];
}

describe("parseShellWords", () => {
  for (const [text, words] of [
    ["npx -y @zed-industries/claude-code-acp", ["npx", "-y", "@zed-industries/claude-code-acp"]],
    ["  a\tb \n c  ", ["a", "b", "c"]],
    [`a 'b  c' "d  e"`, ["a", "b  c", "d  e"]],
    [`a b'c'"d"e`, ["a", "bcde"]],
    [`a '' ""`, ["a", "", ""]],
    [`a 'it'\\''s'`, ["a", "it's"]],
    [String.raw`a "\"\\\$\x" '\"'`, ["a", String.raw`"\$\x`, String.raw`\"`]],
    [String.raw`a\ b c\'d`, ["a b", "c'd"]],
    ["a \\\n b", ["a", "b"]],
    ["a b\\\nc", ["a", "bc"]],
    [`a "b\\\nc"`, ["a", "bc"]],
    ["a #b $HOME *.ts ~/x", ["a", "#b", "$HOME", "*.ts", "~/x"]],
    [`a "&&" '|' x=y&z`, ["a", "&&", "|", "x=y&z"]],
    [`'C:\\Program Files\\agent.exe' acp`, ["C:\\Program Files\\agent.exe", "acp"]],
    [`"C:\\tools\\agent.exe"`, ["C:\\tools\\agent.exe"]],
  ] as const) {
    it(`splits ${JSON.stringify(text)}`, () => {
      assert.deepEqual(wordsOf(text), words);
    });
  }

  it("turns leading assignments into environment variables, and no others", () => {
    assert.deepEqual(commandFrom(`A=1 B='x y' C= run D=2`), {
      command: "run",
      args: ["D=2"],
      env: { A: "1", B: "x y", C: "" },
    });
  });

  it("takes a quoted assignment for a program", () => {
    assert.deepEqual(wordsOf(`'A=1' x`), ["A=1", "x"]);
    assert.deepEqual(wordsOf(`"A"=1`), ["A=1"]);
  });

  it("tells one bare word from a quoted one", () => {
    const isBare = (text: string) => {
      const read = parseShellWords(text);
      return read.kind === "command" && read.isBareWord;
    };
    assert.deepEqual([`gemini`, `'gemini'`, `gemini x`, `A=1 gemini`].map(isBare), [true, false, false, false]);
  });

  for (const [text, message, hint] of [
    ["a 'b c", "Unfinished single quote at character 3 of the command: 'b c", "Add the closing single quote."],
    [`a b"c`, `Unfinished double quote at character 4 of the command: b"c`, "Add the closing double quote."],
    ["a b\\", "Unfinished backslash at character 4 of the command: b\\", "Remove it, or put it in single quotes."],
    ["  ", `The command "  " names no program (character 3).`, undefined],
    ["KEY=secret", `The command "KEY=…" names no program (character 11).`, undefined],
    ["A=1 ''", `The command "A=…" names no program (character 5).`, undefined],
    ["a && b", `"&&" (character 3 of the command) needs a shell, but the command runs without one.`, undefined],
    ["a 2>&1", `"2>&1" (character 3 of the command) needs a shell, but the command runs without one.`, undefined],
    ["~/bin/agent acp", `The program "~/bin/agent" begins with "~", which is not expanded.`, "Use the full path."],
  ] as const) {
    it(`refuses ${JSON.stringify(text)} and says where`, () => {
      const read = parseShellWords(text);
      assert.equal(read.kind === "problem" && read.message, message);
      if (hint !== undefined) assert.equal(read.kind === "problem" && read.hint, hint);
    });
  }

  it("never repeats the value of a variable that is not closed", () => {
    const read = parseShellWords(`API_KEY="hunter2 run`);
    assert.ok(read.kind === "problem" && !JSON.stringify(read).includes("hunter2"));
  });

  it("warns of a backslash that disappears from a path, and follows POSIX", () => {
    assert.deepEqual(parseShellWords(String.raw`run C:\tools\x.exe`), {
      kind: "command",
      command: { command: "run", args: ["C:toolsx.exe"], env: {} },
      isBareWord: false,
      warning: String.raw`The backslash at character 7 of the command is dropped (C:\tools\x.exe). Put paths with backslashes in single quotes.`,
    });
  });

  it("never throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...Array.from("ab= '\"\\\n$~|&A")) })),
        (text) => {
          parseShellWords(text);
        },
      ),
      { numRuns: 500 },
    );
  }).timeout(20_000);
});

describe("formatShellWords", () => {
  it("writes what parseShellWords reads back", () => {
    const word = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(...Array.from("ab= '\"\\\n\r\t$~|&>A#*;")) }),
    );
    const env = fc.dictionary(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]*$/), word, { noNullPrototype: true });
    const command = fc.record(
      { command: word.filter((text) => text !== ""), args: fc.array(word), env },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(command, (given) => {
        assert.deepEqual(commandFrom(formatShellWords(given) ?? ""), given);
      }),
      { numRuns: 500 },
    );
  }).timeout(20_000);

  it("quotes only what needs it", () => {
    const command = { command: "npx", args: ["-y", "@a/b@latest", "two words", ""], env: { A: "1", B: "x y" } };
    assert.equal(formatShellWords(command), "A=1 B='x y' npx -y @a/b@latest 'two words' ''");
  });

  it("returns undefined for what words cannot say", () => {
    const plain = { command: "a", args: [], env: {} };
    assert.equal(formatShellWords({ ...plain, cwd: "/" }), undefined);
    assert.equal(formatShellWords({ ...plain, command: "" }), undefined);
    assert.equal(formatShellWords({ ...plain, env: { "ProgramFiles(x86)": "C:\\" } }), undefined);
  });
});
