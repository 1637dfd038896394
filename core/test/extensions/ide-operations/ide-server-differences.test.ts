import assert from "node:assert/strict";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { fileUri } from "../../../src/base/file-uri.js";
import { ready } from "../../../src/base/ide-operations/operation-state.js";
import { degraded, IdeToolsStage, lines, stage } from "./ide-tools-stage.js";
import { IdeWorkspace, workspaceFolder } from "./ide-workspace.js";

const page = <T>(items: readonly T[]) => Promise.resolve({ state: ready, items, total: items.length });
const uriIn = (path: string): string => fileUri(`${workspaceFolder}/${path}`);
const at = (line: number, start: number, end: number) => ({
  start: { line, character: start },
  end: { line, character: end },
});

describe("the tools for IDE operations, where language servers differ", () => {
  it("tell imports apart from uses where the server counts them as declarations", async () => {
    const workspace = new IdeWorkspace({
      "src/shape.ts": "fn total() {}\n",
      "src/main.ts": "use total;\ntotal();\n",
    });
    const imported = { uri: uriIn("src/main.ts"), range: at(0, 4, 9) };
    const used = { uri: uriIn("src/main.ts"), range: at(1, 0, 5) };
    workspace.handlers = {
      references: ({ includeDeclaration }) => page(includeDeclaration ? [imported, used] : [used]),
    };
    assert.equal(
      await new IdeToolsStage(workspace).text("find_references", { symbol: "total" }),
      lines(
        "total (src/shape.ts:1:4): 1 use in 1 file [ready]",
        "src/main.ts",
        "2:1 total();",
        "imported or declared in 1 further place:",
        "src/main.ts",
        "1:5 use total;",
        "word search: no more",
      ),
    );
  });

  it("take a word of a line for the name that it is, and not for the text that it is part of before", async () => {
    const workspace = new IdeWorkspace({ "src/main.ts": 'fn total() {}\nlet text = "total"; total();\n' });
    const asked: number[] = [];
    workspace.handlers = {
      definition: ({ uri, position }) => {
        asked.push(position.character);
        return page(position.character === 20 ? [{ uri, range: at(0, 3, 8) }] : []);
      },
    };
    assert.deepEqual(
      [await new IdeToolsStage(workspace).text("find_definition", { symbol: "src/main.ts:2#total" }), asked],
      [lines("src/main.ts:1:4 [ready]", "fn total() {}"), [12, 20, 20]],
    );
  });

  it("find a name by outlines where no server can look for names, and say why there is nothing else", async () => {
    const workspace = new IdeWorkspace({ "src/main.ts": "fn total() {}\n" });
    const lacking = "fake 14.0.6 doesn't support workspace symbols (workspace/symbol).";
    workspace.handlers = {
      workspaceSymbols: () => Promise.reject(new SymposiumError("ide-operation-failed", lacking)),
    };
    const tools = new IdeToolsStage(workspace);
    assert.deepEqual(
      [
        await tools.text("find_definition", { symbol: "total" }),
        await tools.failure("find_definition", { symbol: "another" }),
      ],
      [lines("src/main.ts:1:4 [ready]", "fn total() {}"), lacking],
    );
  });

  it("do not call a file clean that no server has looked at", async () => {
    const [tools] = stage((workspace) => {
      workspace.handlers = {
        diagnostics: () => Promise.resolve({ state: degraded, files: [], pending: [], cursor: "1" }),
      };
    });
    assert.equal(
      await tools.text("diagnostics", { file: "src/main.rs" }),
      "no diagnostics known, but there may be some [degraded: the sources of std are missing]",
    );
  });

  it("take a path in the place of a name for what it is", async () => {
    const [tools] = stage((workspace) => {
      workspace.handlers = { codeActions: () => page([]), resolveCodeAction: () => Promise.reject(new Error()) };
    });
    assert.equal(
      await tools.text("symbols", { query: "src/shape.rs" }),
      await tools.text("symbols", { file: "src/shape.rs" }),
    );
    assert.equal(await tools.text("symbols", { query: "src/gone.rs" }), "0 symbols for src/gone.rs [ready]");
    assert.match(
      await tools.failure("code_action", { place: "src/gone.rs:3" }),
      /doesn't name a readable file\. Paths/,
    );
  });

  it("find what people wrote, and not what was generated from it", async () => {
    const workspace = new IdeWorkspace({ "generated/lib.js": "fn area() {}\n", "src/lib.ts": "fn area() {}\n" });
    const tools = new IdeToolsStage(workspace);
    assert.match(await tools.text("find_definition", { symbol: "area" }), /^src\/lib\.ts:1:4 /);
    workspace.handlers = {
      workspaceSymbols: () =>
        page([
          {
            uri: uriIn("generated/lib.js"),
            range: at(0, 0, 12),
            selectionRange: at(0, 3, 7),
            name: "area",
            kind: "function",
          },
        ]),
    };
    assert.match(await new IdeToolsStage(workspace).text("find_definition", { symbol: "area" }), /^src\/lib\.ts:1:4 /);
  });

  it("leave out the exports that lead to the declaration of the same name", async () => {
    const workspace = new IdeWorkspace({
      "src/a.ts": "export {\n  type area,\n} from b;\nexport area;\n",
      "src/b.ts": "fn area() {}\n",
      "src/c.ts": "fn area() {}\n",
    });
    const listed = (path: string, line: number, start: number) => {
      const range = at(line, start, start + 4);
      return { uri: uriIn(path), range, selectionRange: range, name: "area", kind: "variable" };
    };
    const declared = listed("src/b.ts", 0, 3);
    workspace.handlers = {
      workspaceSymbols: () =>
        page([listed("src/a.ts", 1, 7), listed("src/a.ts", 3, 7), declared, listed("src/c.ts", 0, 3)]),
      definition: () => page([declared]),
    };
    assert.equal(
      await new IdeToolsStage(workspace).failure("hover", { symbol: "area" }),
      lines(
        'symbol: "area" means 2 symbols. Give the place or the full name of one of these:',
        "src/b.ts:1:4 variable area",
        "src/c.ts:1:4 variable area",
      ),
    );
  });

  it("read the outlines of the files first that seem to declare a name", async () => {
    const users = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`src/u${index}.rs`, "gone(gone);\n"]));
    const workspace = new IdeWorkspace({ ...users, "src/z.rs": "pub fn area() {}\nfn gone() {}\n" });
    workspace.hasNoIndex = true;
    assert.match(
      await new IdeToolsStage(workspace).text("find_definition", { symbol: "gone" }),
      /^src\/z\.rs:2:4 \[ready\]/,
    );
  });

  it("say what is missing instead of where else to look when a file cannot be understood", async () => {
    const [tools] = stage((workspace) => {
      workspace.handlers = { documentSymbols: () => Promise.resolve({ state: degraded, items: [], total: 0 }) };
    });
    assert.equal(
      await tools.failure("hover", { symbol: "src/main.rs#main" }),
      `symbol: "src/main.rs#main" isn't a known symbol [degraded: the sources of std are missing]. Fix what is missing, or search the text.`,
    );
  });

  it("pass on why a file is not formatted", async () => {
    const [tools] = stage((workspace) => {
      workspace.handlers = {
        format: () => Promise.resolve({ state: degraded, edits: [], refusal: "There is no formatter." }),
      };
    });
    assert.equal(await tools.failure("format", { file: "src/main.rs" }), "Format src/main.rs: There is no formatter.");
  });

  it("are not in doubt of an answer because the name also stands in a file that nobody understands", async () => {
    const workspace = new IdeWorkspace({ "src/lib.rs": "fn area() {}\n", "README.md": "gone area\n" });
    const { operations } = workspace;
    workspace.handlers = {
      documentSymbols: (params, signal) =>
        params.uri.endsWith(".md")
          ? Promise.resolve({ state: degraded, items: [], total: 0 })
          : operations.run("documentSymbols", params, signal),
    };
    assert.equal(
      await new IdeToolsStage(workspace).failure("find_definition", { symbol: "gone" }),
      'symbol: "gone" isn\'t a known symbol [ready]. Search for it with `symbols`; find a library\'s declaration from one of its uses, as in "file:12#name".',
    );
  });

  it("name the code outside of functions that calls one", async () => {
    const [tools] = stage((workspace) => {
      const file = { uri: uriIn("src/main.rs"), range: at(0, 0, 0), selectionRange: at(0, 0, 0) };
      const symbol = { ...file, name: `${workspaceFolder}/src/main.rs`, kind: "module" };
      workspace.handlers = {
        incomingCalls: () => page([{ symbol, ranges: [at(4, 1, 2)] }]),
        outgoingCalls: () => page([]),
      };
    });
    assert.equal(
      await tools.text("call_hierarchy", { symbol: "total_area" }),
      lines("total_area is called by 1 function [ready]", "src/main.rs", "1:1 the file itself: line 5"),
    );
  });

  it("tell implementations where a server has no type hierarchy, and pass its failure on where there are none", async () => {
    const failure = new SymposiumError("ide-operation-failed", "the server has no type hierarchy");
    const [tools] = stage((workspace) => {
      workspace.handlers = {
        subtypes: () => Promise.reject(failure),
        supertypes: () => Promise.reject(failure),
      };
    });
    assert.equal(
      await tools.text("type_hierarchy", { symbol: "Shape" }),
      lines(
        "Shape has 1 implementation; subtypes aren't available [ready]",
        "src/shape.rs",
        "10:8 fn area(&self) -> f64 {",
      ),
    );
    assert.match(await tools.failure("type_hierarchy", { symbol: "Circle" }), /the server has no type hierarchy/);
    assert.match(
      await tools.failure("type_hierarchy", { symbol: "Shape", direction: "supertypes" }),
      /the server has no type hierarchy/,
    );
  });
});
