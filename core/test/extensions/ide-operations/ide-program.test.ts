import assert from "node:assert/strict";
import fc from "fast-check";
import { ready } from "../../../src/base/ide-operations/operation-state.js";
import { looksLike } from "../../../src/extensions/ide-operations/program/value.js";
import { type Expression, parseProgram } from "../../../src/extensions/ide-operations/program/parse-program.js";
import { ProgramFault } from "../../../src/extensions/ide-operations/program/program-limits.js";
import { IdeToolsStage, lines } from "./ide-tools-stage.js";
import { IdeWorkspace } from "./ide-workspace.js";

function stage(workspace = new IdeWorkspace()): {
  run(program: string): Promise<string>;
  fails(program: string): Promise<string>;
} {
  const tools = new IdeToolsStage(workspace);
  return {
    run: (program) => tools.text("ide_operation", { program }),
    fails: (program) => tools.failure("ide_operation", { program }),
  };
}

describe("a program of IDE operations", () => {
  it("counts the uses of every function of a file in one call", async () => {
    const workspace = new IdeWorkspace();
    const text = await stage(workspace).run(
      'symbols("src/shape.rs") | where(kind ~ "*t*" and not kind == "object") | map({name, line, uses: count(references(it))}) | sort(-uses)',
    );
    assert.equal(
      text,
      lines(
        "name | line | uses",
        "Circle | 5 | 4",
        "total_area | 15 | 4",
        "Shape | 1 | 1",
        "area | 2 | 1",
        "area | 10 | 1",
        "6 questions [ready]",
      ),
    );
    assert.equal(workspace.asked.filter((name) => name === "references").length, 5);
  });

  it("shows places by file with their source, and keeps values under names", async () => {
    assert.equal(
      await stage().run(
        'uses = references("total_area"); uses | where(file ~ "main" and line > 4) # both\ncount(uses)',
      ),
      lines(
        "2 places",
        "src/main.rs",
        "5:17 let total = total_area(&[]);",
        '6:20 println!("{}", total_area(&[Circle { radius: 1.0 }]));',
        "4",
        "2 questions [ready]",
      ),
    );
  });

  it("groups, sums, sorts and cuts lists", async () => {
    const results = await Promise.all(
      [
        'references("Circle") | group(file) | map({key, count})',
        'references("Circle") | map(line) | sum',
        "[3, 1, 2] | sort | reverse | take(2)",
        '["b", "a", "b"] | unique | sort',
        "[[1, 2], [3]] | flat | skip(1) | first",
        '{name: "x", n: 1 + 2 - 4}',
        '[{a: 1, b: "x"}, {a: 2}] | where(a > 1 or b == "x") | count',
        "not [] and null == null",
        '"a" + 1 + "b"',
        'symbol("Circle::area") | source(1)',
        'symbol("Circle::area").container',
        'search("radius", "src/main*")',
        'findReferences("total_area") | find_definition | unique',
        'hover("Shape")',
      ].map((program) => stage().run(program)),
    );
    assert.deepEqual(
      results.map((text) => text.replace(/\n(?:\d+ questions? )?\[ready\]$/, "")),
      [
        "key | count\nsrc/shape.rs | 2\nsrc/main.rs | 2",
        "31",
        "3\n2",
        "a\nb",
        "2",
        "name | n\nx | -1",
        "2",
        "true",
        "a1b",
        "fn area(&self) -> f64 {\n… 2 more lines, to line 12",
        "impl Shape for Circle",
        '1 place\nsrc/main.rs\n6:42 println!("{}", total_area(&[Circle { radius: 1.0 }]));',
        "1 place\nsrc/shape.rs\n15:8 pub fn total_area(shapes: &[Circle]) -> f64 {",
        "```rust\ninterface Shape\n```",
      ],
    );
  });

  it("tells how the language servers are", async () => {
    const workspace = new IdeWorkspace();
    const servers = [
      { name: "rust-analyzer", state: { kind: "loading", percent: 7 }, memory: 512_300_000 },
      { name: "gopls", state: ready },
    ] as const;
    workspace.handlers = { status: () => Promise.resolve({ state: ready, servers }) };
    assert.equal(
      await stage(workspace).run("servers"),
      lines(
        "name | state | memory",
        "rust-analyzer | [loading 7 %: more may be found later] | 512",
        "gopls | [ready] | ",
        "1 question [ready]",
      ),
    );
  });

  it("lists its functions when asked for help, and asks nothing for it", async () => {
    const workspace = new IdeWorkspace();
    const help = await stage(workspace).run("help");
    assert.match(help, /where\(list, condition\)/);
    assert.deepEqual(workspace.asked, []);
  });

  it("says where a fault is, and what to write", async () => {
    const faults = await Promise.all(
      [
        "",
        'symbols("src/shape.rs"',
        'symbols("src/shape.rs)',
        "a = 1\nb = = 2",
        "where([1])",
        "wher([1], it)",
        "[1] | map(colour)",
        'symbols("src/shape.rs") | map(colour)',
        'symbols("src/shape.rs").colour',
        "1 < true",
        "[1] | sum | count",
        "references(7)",
        'symbols("src/none.rs")',
        "x | count",
        "é §",
        "where([1], it = 1)",
        "count",
      ].map(async (program) => {
        const message = await stage()
          .fails(program)
          .catch((fault: unknown) => String(fault));
        return message.split(/(?<=[.?])(?: |$)/)[0];
      }),
    );
    assert.deepEqual(faults, [
      "program: must not be empty.",
      "program 1:23: the program ends, expected `,`.",
      "program 1:9: the text is not closed.",
      'program 2:5: found "=", expected a value.',
      "program 1:1: where does not take 1 arguments.",
      "program 1:1: there is no function wher.",
      "program 1:11: colour is not known.",
      "program 1:31: colour is not known.",
      "program 1:25: a place has no field colour.",
      "program 1:3: < can't be used with a number and true or false.",
      "program 1:13: count needs a list, got a number.",
      "program 1:1: references needs symbols or their addresses, got a number.",
      'program 1:1: symbols finds no file "src/none.rs".',
      "program 1:1: x is not known.",
      `program 1:3: "§" isn't valid here.`,
      "program 1:15: `=` compares nothing.",
      "program 1:1: count needs list.",
    ]);
  });

  it("stops at its bounds, and says which", async () => {
    const many = new IdeWorkspace({
      "src/lib.rs": Array.from({ length: 400 }, (_, index) => `fn f${index}() {}`).join("\n"),
    });
    const doubling = ["a = [1, 2, 3, 4, 5, 6, 7, 8]", ...Array<string>(10).fill("a = a + a"), "count(a)"].join("\n");
    const texts = ['t = "0123456789"', ...Array<string>(12).fill("t = t + t"), "t"].join("\n");
    const loops = `l = ${"[1,2,3,4,5,6,7,8,9,10] | map(".repeat(5)}1${")".repeat(5)}`;
    const nested = `${"(".repeat(80)}1${")".repeat(80)}`;
    const faults = await Promise.all([
      stage(many).fails('symbols("src/lib.rs") | references'),
      stage().fails(doubling),
      stage().fails(texts),
      stage().fails(loops),
      stage().fails(nested),
      stage().fails(`"${"x".repeat(30_000)}"`),
    ]);
    const expected = [
      /more than 300 questions to the language server/,
      /a list of more than 5000 items/,
      /a text of more than 20000 characters/,
      /more than 50000 steps/,
      /too deeply nested/,
      /the program has 30002 characters; 20000 is the limit/,
    ];
    for (const [index, fault] of faults.entries()) assert.match(fault, expected[index] ?? /$^/);
  });

  it("cuts what would be too long to read", async () => {
    const long = Array.from({ length: 150 }, (_, index) => `"${"x".repeat(100)}${index}"`).join(", ");
    const text = await stage().run(`a = [${long}]\na\na\na`);
    assert.ok(text.length < 24_200, String(text.length));
    assert.match(text, /\n… cut: take\(…\) less, or count\n\[ready\]$/);
  });

  it("changes nothing", async () => {
    const workspace = new IdeWorkspace();
    const before = new Map(workspace.files);
    await stage(workspace).run('symbols("src/shape.rs") | references | group(file) | map(items) | flat | take(3)');
    assert.deepEqual(workspace.files, before);
    assert.deepEqual([...new Set(workspace.asked)].sort(), ["documentSymbols", "references"]);
  });
});

describe("the language of programs", () => {
  const name = fc.constantFrom("name", "uses", "kind", "x1", "größe");
  const literal = fc.oneof(
    fc.string().map((text) => JSON.stringify(text.replace(/[^ -~]/g, "")).replaceAll("\\u", "u")),
    fc.nat(9_999).map(String),
    fc.constantFrom("true", "false", "null"),
  );
  const { value: expression } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      literal,
      name,
      fc.tuple(tie("value"), tie("value")).map(([a, b]) => `[${a}, ${b}]`),
      fc.tuple(name, tie("value")).map(([key, value]) => `{${key}: ${value}, kind}`),
      fc.tuple(tie("value"), tie("value")).map(([list, value]) => `(${list} | map(${value}))`),
      fc
        .tuple(tie("value"), fc.constantFrom("==", "<", "~", "+", "-", "and", "or"), tie("value"))
        .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      tie("value").map((value) => `(not ${value})`),
      fc.tuple(tie("value"), name).map(([value, field]) => `(${value}).${field}`),
    ),
  }));

  it("reads what it says it reads, whatever space and comments stand between", () => {
    fc.assert(
      fc.property(expression, (text) => {
        const spaced = text.replaceAll("(", "( # why\n").replaceAll(" | ", "\n| ");
        // Inside of texts nothing may be added.
        fc.pre(!/"[^"]*[(|][^"]*"/.test(text));
        assert.deepEqual(withoutPlaces(parseProgram(spaced)[0]?.value), withoutPlaces(parseProgram(text)[0]?.value));
      }),
    );
  });

  it("answers every text with lines or with a fault inside of it", () => {
    const words = fc.constantFrom(
      "where",
      "(",
      ")",
      "|",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "==",
      "=",
      "not",
      "-",
      '"a"',
      "7",
      ".",
      "\n",
      ";",
      "§",
      "'",
    );
    const program = fc.oneof(
      fc.string(),
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(program, (text) => {
        try {
          assert.ok(parseProgram(text).length > 0);
        } catch (fault) {
          assert.ok(fault instanceof ProgramFault, String(fault));
          assert.ok(fault.at >= 0 && fault.at <= text.length);
          assert.match(fault.in(text).message, /^program \d+:\d+: /);
        }
      }),
    );
  });

  it("ends every program, and with a message where it fails", async () => {
    await fc.assert(
      fc.asyncProperty(expression, async (text) => {
        const { text: said } = await new IdeToolsStage(new IdeWorkspace()).call("ide_operation", { program: text });
        assert.match(said, /\[ready\]$|^program \d+:\d+: |^symbol: /);
      }),
      { numRuns: 50 },
    );
  });

  it("looks for texts with * as a pattern of the whole would", () => {
    const part = fc.stringMatching(/^[ab*]{0,6}$/);
    fc.assert(
      fc.property(fc.stringMatching(/^[ab]{0,8}$/), part, (text, pattern) => {
        const expected = pattern.includes("*")
          ? new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(text)
          : text.includes(pattern);
        assert.equal(looksLike(text, pattern), expected);
      }),
    );
  });
});

function withoutPlaces(value: Expression | undefined): unknown {
  return JSON.parse(JSON.stringify(value, (key, member: unknown) => (key === "at" ? undefined : member)));
}
