import assert from "node:assert/strict";
import { ready } from "../../../src/base/ide-operations/operation-state.js";
import { degraded, IdeToolsStage, lines, loading, stage } from "./ide-tools-stage.js";
import { IdeWorkspace, uriIn } from "./ide-workspace.js";

describe("find_definition", () => {
  it("shows the source of what a name means", async () => {
    const [tools] = stage();
    assert.equal(
      await tools.text("find_definition", { symbol: "total_area" }),
      lines(
        "src/shape.rs:15:8 [ready]",
        "pub fn total_area(shapes: &[Circle]) -> f64 {",
        "    shapes.iter().map(|shape| shape.area()).sum()",
        "}",
      ),
    );
  });

  it("tells symbols of one name apart by what they stand in", async () => {
    const [tools] = stage();
    const definitions = await Promise.all(
      ["Shape::area", "Circle::area", "shape::Circle::area", "src/shape.rs#Circle.area", "Circle::area()"].map(
        async (symbol) => (await tools.text("find_definition", { symbol })).split(" ", 1)[0],
      ),
    );
    assert.deepEqual(definitions, ["src/shape.rs:2:8", ...Array<string>(4).fill("src/shape.rs:10:8")]);
  });

  it("leads from a use, given by its line or its exact place", async () => {
    const [tools] = stage();
    const symbols = [
      "src/main.rs:6#total_area",
      "src/main.rs:6:22",
      "/w/src/main.rs:6:20",
      "./src/../src/main.rs:6:20",
    ];
    const places = await Promise.all(
      symbols.map(async (symbol) => (await tools.text("find_definition", { symbol })).split(" ", 1)[0]),
    );
    assert.deepEqual(places, Array<string>(symbols.length).fill("src/shape.rs:15:8"));
  });

  it("shows every symbol that a name means", async () => {
    const [tools] = stage();
    assert.equal(
      await tools.text("find_definition", { symbol: "area" }),
      lines(
        "2 definitions of area [ready]",
        "src/shape.rs:2:8",
        "fn area(&self) -> f64;",
        "src/shape.rs:10:8",
        "fn area(&self) -> f64 {",
        "    3.14 * self.radius * self.radius",
        "}",
      ),
    );
  });

  it("reads outlines where the server knows no symbols by name", async () => {
    const [tools] = stage((workspace) => (workspace.hasNoIndex = true));
    assert.match(await tools.text("find_definition", { symbol: "Circle::area" }), /^src\/shape\.rs:10:8 /);
  });

  it("shows unsaved text", async () => {
    const [tools, workspace] = stage((one) => {
      one.unsaved.set("src/shape.rs", "fn other() {}\nfn fresh() {}\n");
      one.handlers = {
        openFiles: () =>
          Promise.resolve({ state: ready, files: [{ uri: uriIn("src/shape.rs"), isActive: true, isUnsaved: true }] }),
      };
    });
    assert.equal(
      await tools.text("find_definition", { symbol: "fresh" }),
      lines("src/shape.rs:2:4 [ready]", "fn fresh() {}"),
    );
    assert.equal(workspace.asked.filter((name) => name === "openFiles").length, 1);
  });

  it("says what an address lacks, and how it is written", async () => {
    const [tools] = stage();
    const failures = await Promise.all(
      ["src/main.rs:3", "src/gone.rs#main", "src/main.rs:99:1", "src/main.rs:3#area", "a b", "missing"].map((symbol) =>
        tools.failure("find_definition", { symbol }),
      ),
    );
    assert.deepEqual(failures, [
      'symbol: "src/main.rs:3" names a place but no symbol. Add its name, as in "src/main.rs:3#name".',
      `symbol: "src/gone.rs#main" names an unreadable file: src/gone.rs. Paths start from the workspace's folder.`,
      'symbol: "src/main.rs:99:1" is past the end: the file has 8 lines. Read the file again.',
      'symbol: "src/main.rs:3#area" does not occur in that line: fn main() {. Read the file again.',
      `symbol: "a b" isn't a symbol name. Write "name", "Type::name", "file#name" or "file:line:column".`,
      'symbol: "missing" isn\'t a known symbol [ready]. Search for it with `symbols`; find a library\'s declaration from one of its uses, as in "file:12#name".',
    ]);
  });

  it("says that a name may be missing because the server still loads", async () => {
    const [tools] = stage((workspace) => (workspace.state = loading));
    assert.match(
      await tools.failure("find_definition", { symbol: "missing" }),
      /\[loading 40 %: more may be found later\]\. Ask again in a moment\.$/,
    );
  });
});

describe("find_references", () => {
  it("lists uses by file, with their lines, and what a word search finds besides", async () => {
    const [tools] = stage();
    assert.equal(
      await tools.text("find_references", { symbol: "total_area" }),
      lines(
        "total_area (src/shape.rs:15:8): 3 uses in 1 file [ready]",
        "src/main.rs",
        "1:13 use shape::{total_area, Circle};",
        "5:17 let total = total_area(&[]);",
        '6:20 println!("{}", total_area(&[Circle { radius: 1.0 }]));',
        "word search: 1 in comments",
      ),
    );
  });

  it("names the places in code that lead nowhere", async () => {
    const [tools] = stage((workspace) => workspace.blind.add("src/main.rs:5"));
    const text = await tools.text("find_references", { symbol: "total_area" });
    assert.match(
      text,
      /word search: 1 not resolved:\nsrc\/main\.rs\n5:17 let total = total_area\(&\[\]\);\nword search: 1 in comments$/,
    );
  });

  it("names the uses that the server left out", async () => {
    const [tools] = stage((workspace) => workspace.lost.add("src/main.rs:6"));
    const text = await tools.text("find_references", { symbol: "total_area" });
    assert.match(text, /: 2 uses in/);
    assert.match(text, /word search: 1 use that the server missed:\nsrc\/main\.rs\n6:20 println/);
  });

  it("asks which symbol is meant, with a place for each", async () => {
    const [tools] = stage();
    assert.equal(
      await tools.failure("find_references", { symbol: "area" }),
      lines(
        'symbol: "area" means 2 symbols. Give the place or the full name of one of these:',
        "src/shape.rs:2:8 method area in Shape",
        "src/shape.rs:10:8 method area in impl Shape for Circle",
      ),
    );
  });

  it("shows many uses in pages, and joins those of one line", async () => {
    const uses = Array.from({ length: 130 }, (_, index) => `fn f${index}() { one(); one(); }`);
    const workspace = new IdeWorkspace({ "src/lib.rs": ["fn one() {}", ...uses].join("\n") });
    const tools = new IdeToolsStage(workspace);
    const first = (await tools.text("find_references", { symbol: "one" })).split("\n");
    const last = (await tools.text("find_references", { symbol: "one", offset: 200 })).split("\n");
    assert.deepEqual(
      [first[0], first[2], first.at(-2), last.length, last.at(-1)],
      [
        "one (src/lib.rs:1:4): 260 uses in 1 file [ready]",
        "2:11,18 fn f0() { one(); one(); }",
        "… 160 more from offset 100",
        32,
        "131:13,20 fn f129() { one(); one(); }",
      ],
    );
  });

  it("says how far the answer can be trusted", async () => {
    const [tools] = stage((workspace) => (workspace.state = degraded));
    const text = await tools.text("find_references", { symbol: "total_area" });
    assert.match(text, /^total_area .*: 3 uses .* \[degraded: the sources of std are missing\]\n/);
  });
});

describe("symbols", () => {
  it("outlines a file", async () => {
    const [tools] = stage();
    assert.equal(
      await tools.text("symbols", { file: "src/shape.rs" }),
      lines(
        "src/shape.rs: 6 symbols, 18 lines [ready]",
        "1 interface Shape",
        " 2 method area",
        "5 struct Circle",
        "9 impl Shape for Circle",
        " 10 method area",
        "15 function total_area",
      ),
    );
  });

  it("finds symbols of the workspace by a part of their name", async () => {
    const [tools] = stage();
    assert.equal(
      await tools.text("symbols", { query: "total" }),
      lines("1 symbol for total [ready]", "src/shape.rs", "15:8 function total_area"),
    );
  });

  it("needs a file or a query, and refuses what it does not know", async () => {
    const [tools] = stage();
    assert.match(await tools.failure("symbols", {}), /query: must not be empty/);
    assert.equal(
      await tools.failure("symbols", { path: "src/shape.rs" }),
      'path: unknown, got "src/shape.rs"; expected only file, query, offset.',
    );
  });
});

describe("diagnostics", () => {
  const range = { start: { line: 4, character: 8 }, end: { line: 4, character: 13 } };
  const error = {
    range,
    severity: "error",
    message: "mismatched types\nexpected f64",
    code: "E0308",
    source: "rustc",
  } as const;
  const warning = { range, severity: "warning", message: "unused variable" } as const;

  it("tells errors before warnings, by file, and what is still being checked", async () => {
    const [tools] = stage((workspace) => {
      workspace.handlers = {
        diagnostics: () =>
          Promise.resolve({
            state: ready,
            files: [
              { uri: uriIn("src/main.rs"), diagnostics: [warning] },
              { uri: uriIn("src/shape.rs"), diagnostics: [error, warning] },
            ],
            pending: [uriIn("src/new.rs")],
            cursor: "1",
          }),
      };
    });
    assert.equal(
      await tools.text("diagnostics", {}),
      lines(
        "1 error, 2 warnings [ready]",
        "src/shape.rs",
        "5:9 error rustc E0308: mismatched types; expected f64",
        "src/main.rs",
        "5:9 warning: unused variable",
        "src/shape.rs",
        "5:9 warning: unused variable",
        "still being checked: src/new.rs",
      ),
    );
  });

  it("tells what changed since the last call, also what became clean", async () => {
    const since: unknown[] = [];
    const [tools] = stage((workspace) => {
      workspace.handlers = {
        diagnostics: (params) => {
          since.push(params);
          const files = [{ uri: uriIn("src/main.rs"), diagnostics: since.length === 1 ? [error] : [] }];
          return Promise.resolve({ state: ready, files, pending: [], cursor: String(since.length) });
        },
      };
    });
    await tools.text("diagnostics", { changed: true });
    assert.equal(
      await tools.text("diagnostics", { changed: true }),
      lines("no diagnostics in what changed [ready]", "clean now: src/main.rs"),
    );
    await tools.text("diagnostics", { file: "src/main.rs" });
    assert.deepEqual(since, [{}, { since: "1" }, { uri: uriIn("src/main.rs") }]);
  });
});

describe("hierarchies", () => {
  const symbol = {
    uri: uriIn("src/main.rs"),
    range: { start: { line: 2, character: 0 }, end: { line: 6, character: 1 } },
    selectionRange: { start: { line: 2, character: 3 }, end: { line: 2, character: 7 } },
    name: "main",
    kind: "function",
  };
  const at = (line: number) => ({ start: { line, character: 1 }, end: { line, character: 2 } });

  it("tell callers with the lines of their calls, and subtypes", async () => {
    const [tools] = stage((workspace) => {
      workspace.handlers = {
        incomingCalls: () =>
          Promise.resolve({ state: ready, items: [{ symbol, ranges: [at(4), at(5), at(5)] }], total: 1 }),
        outgoingCalls: () => Promise.resolve({ state: ready, items: [], total: 0 }),
        supertypes: () => Promise.resolve({ state: ready, items: [], total: 0 }),
        subtypes: () => Promise.resolve({ state: ready, items: [{ ...symbol, kind: "class" }], total: 1 }),
      };
    });
    assert.deepEqual(
      [
        await tools.text("call_hierarchy", { symbol: "total_area" }),
        await tools.text("call_hierarchy", { symbol: "total_area", direction: "outgoing" }),
        await tools.text("type_hierarchy", { symbol: "Shape" }),
      ],
      [
        lines("total_area is called by 1 function [ready]", "src/main.rs", "3:4 function main: lines 5, 6"),
        "total_area calls 0 functions [ready]",
        lines("Shape has 1 subtype [ready]", "src/main.rs", "3:4 class main"),
      ],
    );
  });
});

describe("the editor's own tools", () => {
  it("tell what is selected and open", async () => {
    const uri = uriIn("src/main.rs");
    const range = { start: { line: 2, character: 3 }, end: { line: 2, character: 7 } };
    const [tools] = stage((workspace) => {
      workspace.handlers = {
        selection: () => Promise.resolve({ state: ready, selection: { uri, range, text: "main" } }),
        openFiles: () => Promise.resolve({ state: ready, files: [{ uri, isActive: true, isUnsaved: false }] }),
      };
    });
    assert.deepEqual(
      [await tools.text("selection", {}), await tools.text("open_files", {})],
      ["src/main.rs:3:4 to 3:8\nmain", "1 open file\nsrc/main.rs (active)"],
    );
  });
});
