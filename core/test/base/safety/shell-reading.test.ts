import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readShell } from "../../../src/base/safety/shell-reading.js";

const read = (text: string): string | undefined =>
  readShell(text, "linux")
    ?.map((words) => words.join("_"))
    .join(" ");

describe("readShell", () => {
  const readable: readonly (readonly [text: string, programs: string])[] = [
    ["git diff", "git_diff"],
    ["  git diff  ", "git_diff"],
    [`git log 'a b' "c d"`, "git_log_a b_c d"],
    [`g''it "di"ff`, "git_diff"],
    ["git diff | head -5", "git_diff head_-5"],
    ["git diff && npm test || ls; pwd", "git_diff npm_test ls pwd"],
    ["git diff\nls\n", "git_diff ls"],
    ["npm test 2>&1 | tail -5", "npm_test tail_-5"],
    ["npm test > /dev/null 2>&1", "npm_test"],
    ["ls;", "ls"],
  ];
  for (const [text, programs] of readable) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(read(text), programs));
  }

  const refused = [
    ...[
      "",
      " ",
      "# ls",
      "ls # ; evil",
      "ls #",
      "git diff &",
      "git diff & evil",
      "! ls",
      "time ls",
      "coproc ls",
      "ls |& cat",
    ],
    ...[
      "FOO=bar ls",
      "PATH=.:$PATH ls",
      "LD_PRELOAD=x ls",
      "FOO=bar",
      "A=~/.ssh B=id; cat $A/$B",
      "export PATH=.; ls *",
    ],
    ...[
      "ls $X",
      "ls $(evil)",
      "ls `evil`",
      'ls "$(evil)"',
      "ls <(evil)",
      "ls >(evil)",
      "ls ${x@P}",
      "ls ${a:=$(evil)}",
    ],
    ...[
      "ls $((1+$(evil)))",
      "echo {a,$(evil)}",
      "{curl,x}",
      "ls {a,b}",
      "ls *",
      "ls a?",
      "ls [a]",
      "ls ~/x",
      "/u??/b?n/c?rl x",
    ],
    ...["$'\\x63url' x", "c\\url x", "cat \\\n.env", "ls $IFS", "ls\rrm x", "ls\u00a0x", "ls \u200b", "l\u200bs"],
    ...[
      "ls > a",
      "ls >> a",
      "ls >| a",
      "ls &> a",
      "ls < a",
      "ls 2> a",
      "ls >&a",
      "> a",
      "ls <<< a",
      "cat <<EOF\na\nEOF",
    ],
    ...["cat <<'EOF'\n$(evil)\nEOF", "ls >/dev/tcp/h/1", "ls > /dev/null/../x", "ls 3>/dev/null", "ls >/dev/null a"],
    ...[
      "(ls)",
      "{ ls; }",
      "if ls; then evil; fi",
      "for x in a; do ls; done",
      "while ls; do evil; done",
      "case a in a) evil;; esac",
    ],
    ...[
      "git() { evil; }; git diff",
      "function git { evil; }",
      "[[ -f $(evil) ]]",
      "((a=1))",
      "select x in a; do evil; done",
    ],
    ...["ls 'a", 'ls "a', "ls )", "ls ;; ls", "&& ls", "ls &&", "ls |", "| ls", "ls ; ; ls", "ls 'a\nb'", "ls “a”"],
    ...["ls !!", "ls a#b", "ls %1; fg %1", `ls ${"a".repeat(20_000)}`],
  ];
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () => assert.equal(readShell(text, "linux"), undefined));
  }

  it("reads one program alone for the shells of Windows, where a single quote is a letter", () => {
    assert.deepEqual(
      [readShell("git diff a", "win32"), readShell("git diff | more", "win32"), readShell("git diff 'a b'", "win32")],
      [[["git", "diff", "a"]], undefined, undefined],
    );
  });

  it("takes a line of any size and depth", () => {
    for (const text of [
      "(".repeat(9_000),
      "$(".repeat(4_000),
      "a;".repeat(4_000),
      "'".repeat(9_999),
      "`\\".repeat(4_000),
    ]) {
      const programs = readShell(text, "linux");
      assert.ok(programs === undefined || programs.every((words) => words.join("") === "a"));
    }
  });

  it("reads none of the words of a shell that run other words", () => {
    const texts = [
      "eval aa",
      "eval\taa",
      "'eval' aa",
      "exec aa",
      "command aa",
      "builtin eval aa",
      ". ./file",
      "source file",
    ];
    assert.deepEqual(
      texts.filter(
        (text) => readShell(text, "linux") !== undefined || readShell(`cd x && ${text}`, "linux") !== undefined,
      ),
      [],
    );
  });

  describe("beside bash", () => {
    const names = ["aa", "bb", "cc"];
    let folder: string;

    before(function () {
      if (!existsSync("/bin/bash")) this.skip();
      folder = mkdtempSync(join(tmpdir(), "shell-reading-"));
      for (const name of names) {
        const program = join(folder, name);
        // In one write, which bash makes of what has no line's end: the programs of a pipeline write at the same time.
        writeFileSync(program, `#!/bin/bash\nprintf '%s\\0' ${name} "$@" $'\\1' >> "${folder}/ran"\n`);
        chmodSync(program, 0o755);
      }
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    /** Every program that bash starts, with its words. */
    function ran(text: string): readonly string[] {
      rmSync(join(folder, "ran"), { force: true });
      try {
        execFileSync("/bin/bash", ["-c", text], {
          cwd: folder,
          env: { PATH: folder },
          stdio: "ignore",
          timeout: 10_000,
        });
      } catch {
        // A failing command has run some programs before its failure.
      }
      const file = join(folder, "ran");
      if (!existsSync(file)) return [];
      return readFileSync(file, "utf8")
        .split("\0\u0001\0")
        .filter((line) => line !== "");
    }

    it("names every program that runs, with its words, whatever the text is made of", () => {
      const piece = fc.constantFrom(
        ...[
          ...names,
          ...names,
          " ",
          " ",
          " ",
          "x",
          "-n",
          "--a=b",
          "'",
          '"',
          "\\",
          "$",
          "`",
          "(",
          ")",
          "{",
          "}",
          "<",
          ">",
        ],
        ...[
          "|",
          "&",
          "&&",
          "||",
          ";",
          "\n",
          "#",
          "=",
          "!",
          "*",
          "~",
          "$(aa)",
          "`bb`",
          "'x y'",
          '"x"',
          "2>&1",
          ">/dev/null",
        ],
        ...[
          "A=b",
          "$'a'",
          "[[",
          "]]",
          "((",
          "\r",
          "\t",
          "^",
          "%",
          ",",
          ":",
          "@",
          "if",
          "then",
          "fi",
          "time",
          "eval",
          "exec",
          "command",
        ],
      );
      let read = 0;
      fc.assert(
        fc.property(fc.array(piece, { minLength: 1, maxLength: 9 }), (pieces) => {
          const text = pieces.join("");
          const programs = readShell(text, "linux");
          if (programs === undefined) return;
          read++;
          const foreseen = programs.map((words) => words.join("\0"));
          // Unknown names, and builtins, start no program that could be seen here.
          for (const line of ran(text)) assert.ok(foreseen.includes(line), `${JSON.stringify(text)} ran ${line}`);
        }),
        { numRuns: 4_000 },
      );
      assert.ok(read > 50, `${read} texts were read`);
    }).timeout(120_000);
  });
});
