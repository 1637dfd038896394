import assert from "node:assert/strict";
import { SymposiumError } from "../../src/base/symposium-error.js";
import { fileUri } from "../../src/ide-operations/file-uri.js";
import { ready } from "../../src/ide-operations/operation-state.js";
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

  it("do not call a file clean that no server has looked at", async () => {
    const [tools] = stage((workspace) => {
      workspace.handlers = {
        diagnostics: () => Promise.resolve({ state: degraded, files: [], pending: [], cursor: "1" }),
      };
    });
    assert.equal(
      await tools.text("diagnostics", { file: "src/main.rs" }),
      "no diagnostics known, which does not mean that there are none [degraded: the sources of std are missing]",
    );
  });

  it("say what is missing instead of where else to look when a file cannot be understood", async () => {
    const [tools] = stage((workspace) => {
      workspace.handlers = { documentSymbols: () => Promise.resolve({ state: degraded, items: [], total: 0 }) };
    });
    assert.equal(
      await tools.failure("hover", { symbol: "src/main.rs#main" }),
      'symbol: "src/main.rs#main" is no symbol that is known here [degraded: the sources of std are missing]. Mend what is missing, or search the text.',
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
        "Shape has 1 implementation; subtypes are not known here [ready]",
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
