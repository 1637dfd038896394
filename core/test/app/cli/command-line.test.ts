import assert from "node:assert/strict";
import { type ParsedLine, parseCommandLine } from "../../../src/app/cli/command-line.js";
import type { OptionDeclarations } from "../../../src/app/cli/options.js";
import type { CommandLine, SubcommandDeclaration } from "../../../src/app/cli/declaration.js";
import { subcommand } from "../../../src/app/cli/subcommand.js";

const declaration: SubcommandDeclaration<OptionDeclarations> = {
  name: "try",
  about: "Try something.",
  arguments: { "[FILE...]": "what to try it with" },
  options: {
    agent: { value: "X", about: "the agent" },
    proxy: { value: "X", multiple: true, about: "a proxy" },
    "trace-dir": { value: "DIR", about: "where traces go" },
    yes: { about: "without asking" },
    level: { value: "low|high", choices: ["low", "middle", "high"], about: "how much" },
    times: { value: "N", isCount: true, about: "how often" },
    wait: { value: "SECONDS", mostSeconds: 10, about: "how long" },
  },
  run: () => Promise.resolve(0),
};

describe("the words after a subcommand", () => {
  function lineOf(...words: readonly string[]): ParsedLine<OptionDeclarations> {
    return parseCommandLine(declaration, words);
  }

  it("are options wherever they stand, and arguments", () => {
    assert.deepEqual(lineOf("a", "--agent", "one b", "--yes", "b", "--trace-dir=/t=1"), {
      kind: "line",
      line: {
        values: { agent: "one b", yes: true, "trace-dir": "/t=1" },
        positionals: ["a", "b"],
        command: undefined,
      },
    });
  });

  it("keep the order of an option that may be repeated, and the last of one that may not", () => {
    const words = ["--proxy", "a", "--agent=x", "--proxy=-b", "--agent", "y", "--proxy", "a"];
    const parsed = lineOf(...words);
    assert.ok(parsed.kind === "line");
    assert.deepEqual(parsed.line.values, { proxy: ["a", "-b", "a"], agent: "y" });
  });

  it("are arguments after --", () => {
    const parsed = lineOf("--yes", "--", "--agent", "--help");
    assert.ok(parsed.kind === "line");
    assert.deepEqual(parsed.line.positionals, ["--agent", "--help"]);
  });

  it("leave a command after -- as it is where the subcommand takes one", () => {
    const takesCommand = { ...declaration, takesCommand: true } as const;
    const parsed = parseCommandLine(takesCommand, ["a", "--", "node", "--yes", "--", "--help"]);
    assert.ok(parsed.kind === "line");
    assert.deepEqual(parsed.line, { values: {}, positionals: ["a"], command: ["node", "--yes", "--", "--help"] });
  });

  it("are a value where an option wants one, though it looks like help", () => {
    const parsed = lineOf("--agent=--help");
    assert.ok(parsed.kind === "line");
    assert.deepEqual(parsed.line.values, { agent: "--help" });
  });

  it("ask for help beside others, and get one with every option and argument", () => {
    const parsed = lineOf("a", "--yes", "-h");
    assert.ok(parsed.kind === "help");
    for (const said of ["try [options] [FILE...]", "--agent <X>", "--proxy <X>", "--trace-dir <DIR>", "--yes"]) {
      assert.ok(parsed.text.includes(said), parsed.text);
    }
  });

  for (const [words, message] of [
    [["--yes=1"], /^try: Unknown option "--yes=1"/],
    [["--ye"], /^try: Unknown option "--ye"\. Did you mean --yes\?/],
    [["-y"], /^try: Unknown option "-y"\./],
    [["--agent"], /^try: Option "--agent <X>" argument missing\./],
    [["--proxy", "--yes"], /^try: Option "--proxy" needs a value before "--yes"\..* --proxy=--yes\./],
  ] as const) {
    it(`are refused in "${words.join(" ")}" with the word and the way to help`, () => {
      assert.throws(
        () => lineOf(...words),
        (failure: Error & { readonly text?: string }) => {
          assert.match(failure.text ?? "", message);
          assert.match(failure.text ?? "", /Run `symposium-acp-agent try --help` for what it takes\.$/);
          return true;
        },
      );
    });
  }

  it("are read as choices, counts and seconds where an option takes those", () => {
    const parsed = lineOf("--level", "low", "--times", "4", "--wait", "0.5");
    assert.ok(parsed.kind === "line");
    assert.deepEqual(parsed.line.values, { level: "low", times: 4, wait: 500 });
  });

  for (const [option, word, message] of [
    ["level", "all", "--level must be low, middle or high, not all."],
    ["times", "0", "--times must be a whole number above 0, not 0."],
    ["times", "1.5", "--times must be a whole number above 0, not 1.5."],
    ["wait", "0", "--wait must be more than 0 and at most 10 seconds, not 0."],
    ["wait", "soon", "--wait must be more than 0 and at most 10 seconds, not soon."],
  ] as const) {
    it(`are refused in "--${option} ${word}", and told what is taken`, () => {
      assert.throws(() => lineOf(`--${option}`, word), { code: "invalid-arguments", message });
    });
  }
});

describe("a subcommand", () => {
  /** Returns the line that a subcommand runs with. It reads plain words itself, and all others with the parser. */
  async function ranWith(words: readonly string[]): Promise<CommandLine<OptionDeclarations> | undefined> {
    let given: CommandLine<OptionDeclarations> | undefined;
    const run = (line: CommandLine<OptionDeclarations>): Promise<number> => {
      given = line;
      return Promise.resolve(0);
    };
    await subcommand({ ...declaration, run })(words);
    return given;
  }

  const sound = [
    "",
    "--yes",
    "--agent x",
    "--agent -",
    "--agent=x --yes",
    "--proxy a --yes --proxy b --agent x --agent y --proxy a",
    "--level high",
    "--times 3 --wait 2.5",
    "a --yes b",
    "--yes -- --agent",
  ].map((text) => text.split(" ").filter((word) => word !== ""));
  for (const words of [...sound, ["--agent", ""]]) {
    it(`reads ${JSON.stringify(words)} as the parser does`, async () => {
      const parsed = parseCommandLine(declaration, words);
      assert.ok(parsed.kind === "line");
      assert.deepEqual(await ranWith(words), parsed.line);
    });
  }

  for (const text of ["--level up", "--agent --yes", "--agent", "--nope", "--yes=1", "--times 0"]) {
    it(`refuses ${text} as the parser does`, async () => {
      let failure: unknown;
      try {
        parseCommandLine(declaration, text.split(" "));
      } catch (error) {
        failure = error;
      }
      assert.ok(failure instanceof Error);
      await assert.rejects(ranWith(text.split(" ")), { message: failure.message });
    });
  }
});
