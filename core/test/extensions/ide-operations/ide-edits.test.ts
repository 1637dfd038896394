import assert from "node:assert/strict";
import type { IdeOperationHandlers } from "../../../src/base/ide-operations/ide-operations.js";
import { ready } from "../../../src/base/ide-operations/operation-state.js";
import { degraded, lines, loading, stage } from "./ide-tools-stage.js";
import { type IdeWorkspace, uriIn } from "./ide-workspace.js";

describe("rename", () => {
  it("shows every changed line, changes nothing, and is made by apply_edit, once", async () => {
    const [tools, workspace] = stage();
    const before = workspace.files.get("src/shape.rs");
    assert.equal(
      await tools.text("rename", { symbol: "total_area", new_name: "sum_area" }),
      lines(
        "Rename total_area to sum_area: 4 changes in 2 files, not applied yet [ready]",
        "src/shape.rs",
        "15 - pub fn total_area(shapes: &[Circle]) -> f64 {",
        "15 + pub fn sum_area(shapes: &[Circle]) -> f64 {",
        "src/main.rs",
        "1 - use shape::{total_area, Circle};",
        "1 + use shape::{sum_area, Circle};",
        "5 -     let total = total_area(&[]);",
        '6 -     println!("{}", total_area(&[Circle { radius: 1.0 }]));',
        "5 +     let total = sum_area(&[]);",
        '6 +     println!("{}", sum_area(&[Circle { radius: 1.0 }]));',
        "word search: 1 in comments",
        "To apply it: apply_edit edit-1",
      ),
    );
    assert.equal(workspace.files.get("src/shape.rs"), before);
    assert.equal(
      await tools.text("apply_edit", { edit: "edit-1" }),
      "Rename total_area to sum_area: made, in 2 files: src/shape.rs, src/main.rs",
    );
    assert.match(workspace.files.get("src/main.rs") ?? "", /let total = sum_area/);
    assert.match(await tools.failure("apply_edit", { edit: "edit-1" }), /"edit-1" isn't a pending edit/);
  });

  for (const state of [loading, degraded]) {
    it(`is refused while the server is ${state.kind}, with the reason and what to do`, async () => {
      const [tools, workspace] = stage((one) => (one.state = state));
      const failure = await tools.failure("rename", { symbol: "total_area", new_name: "sum_area" });
      assert.match(failure, /^Rename total_area to sum_area is refused because it could miss places: /);
      assert.match(failure, state.kind === "loading" ? /\(40 %\)\. Ask again/ : /std are missing\. Fix that/);
      assert.ok(!workspace.asked.includes("rename"));
    });
  }

  it("warns of uses that the server would leave behind", async () => {
    const [tools] = stage((workspace) => workspace.lost.add("src/main.rs:6"));
    const text = await tools.text("rename", { symbol: "total_area", new_name: "sum_area" });
    assert.match(text, /The rename misses uses of the symbol: see below\.\nword search: 1 use/);
  });

  it("is none to the name that the symbol has", async () => {
    const [tools] = stage();
    assert.equal(
      await tools.failure("rename", { symbol: "total_area", new_name: " total_area " }),
      'symbol: "total_area" has that name already. Give another new_name.',
    );
  });

  it("passes the server's refusal on", async () => {
    const refusal = "1x is not an identifier";
    const rename = () => Promise.resolve({ state: ready, edit: null, refusal });
    const [tools] = stage((workspace) => (workspace.handlers = { rename }));
    const failure = await tools.failure("rename", { symbol: "total_area", new_name: "1x" });
    assert.match(failure, /the language server refused: 1x is not an identifier\. Check/);
  });

  it("is not made where a file changed since it was shown", async () => {
    const [tools, workspace] = stage();
    await tools.text("rename", { symbol: "total_area", new_name: "sum_area" });
    workspace.files.set("src/main.rs", "fn main() {}\n");
    const failure = await tools.failure("apply_edit", { edit: "edit-1" });
    assert.match(failure, /src\/main\.rs changed after edit-1 was previewed, so the edit was not applied/);
    assert.match(workspace.files.get("src/shape.rs") ?? "", /total_area/);
  });

  it("keeps the edit when the editor does not make it", async () => {
    const applyEdit = () => Promise.resolve({ state: ready, isApplied: false, refusal: "the file is read-only" });
    const [tools] = stage((workspace) => (workspace.handlers = { applyEdit }));
    await tools.text("rename", { symbol: "total_area", new_name: "sum_area" });
    const failures = [
      await tools.failure("apply_edit", { edit: "edit-1" }),
      await tools.failure("apply_edit", { edit: "edit-1" }),
    ];
    for (const failure of failures) assert.match(failure, /nothing was changed: the file is read-only/);
  });
});

describe("code_action", () => {
  const edit = {
    changes: [
      {
        kind: "edit",
        uri: uriIn("src/main.rs"),
        edits: [{ range: { start: { line: 4, character: 8 }, end: { line: 4, character: 13 } }, newText: "_total" }],
      },
    ],
  } as const;
  const actions = [
    { id: "1", title: "Prefix with an underscore", kind: "quickfix", isPreferred: true },
    { id: "2", title: "Extract into function", kind: "refactor.extract" },
    { id: "3", title: "Extract into variable", kind: "refactor.extract" },
    { id: "4", title: "Inline", kind: "refactor.inline", disabled: "it is used twice" },
  ];
  const asked: unknown[] = [];
  const handlers = (state: IdeWorkspace["state"]): IdeOperationHandlers => ({
    codeActions: (params) => (
      asked.push(params.range),
      Promise.resolve({ state, items: actions, total: actions.length })
    ),
    resolveCodeAction: ({ id }) =>
      Promise.resolve(id === "1" ? { state, edit } : { state, edit: null, refusal: "it runs a command" }),
  });

  it("lists what can be done at a place", async () => {
    const [tools] = stage((workspace) => (workspace.handlers = handlers(ready)));
    asked.length = 0;
    assert.equal(
      await tools.text("code_action", { place: "src/main.rs:5" }),
      lines(
        "3 code actions at src/main.rs:5:5 [ready]",
        "Prefix with an underscore (quickfix) preferred",
        "Extract into function (refactor.extract)",
        "Extract into variable (refactor.extract)",
      ),
    );
    await tools.text("code_action", { place: "src/main.rs:5-6" });
    await tools.text("code_action", { place: "src/main.rs:5:9-5:14" });
    await tools.text("code_action", { place: "src/main.rs:5#total" });
    assert.deepEqual(
      asked.map((range) => JSON.stringify(range).match(/\d+/g)?.join(" ")),
      ["4 4 4 32", "4 4 5 58", "4 8 4 13", "4 8 4 8"],
    );
  });

  it("previews the one whose title it gets", async () => {
    const [tools] = stage((workspace) => (workspace.handlers = handlers(ready)));
    assert.equal(
      await tools.text("code_action", { place: "src/main.rs:5", title: "underscore" }),
      lines(
        "Prefix with an underscore: 1 change in 1 file, not applied yet [ready]",
        "src/main.rs",
        "5 -     let total = total_area(&[]);",
        "5 +     let _total = total_area(&[]);",
        "To apply it: apply_edit edit-1",
      ),
    );
  });

  it("refuses what is ambiguous, disabled or has no edit", async () => {
    const [tools] = stage((workspace) => (workspace.handlers = handlers(ready)));
    const failures = await Promise.all(
      ["extract", "Inline", "Extract into function", "Fly"].map((title) =>
        tools.failure("code_action", { place: "src/main.rs:5", title }),
      ),
    );
    assert.deepEqual(
      failures.map((failure) => failure.split("\n", 1)[0]),
      [
        'title: "extract" is the title of several code actions there. There are:',
        "Inline: it is used twice Choose another.",
        "Extract into function: it has no edit to preview: it runs a command. Choose another, or edit the file.",
        'title: "Fly" is no title of a code action there. There are:',
      ],
    );
  });

  it("refuses refactorings, and not fixes, while the server is not ready", async () => {
    const [tools] = stage((workspace) => (workspace.handlers = handlers(loading)));
    const at = { place: "src/main.rs:5" };
    assert.match(await tools.failure("code_action", { ...at, title: "Extract into function" }), /could miss places/);
    assert.match(await tools.text("code_action", { ...at, title: "underscore" }), /\[loading 40 %/);
  });
});

describe("format", () => {
  it("previews what would change, and says when nothing would", async () => {
    const insert = { start: { line: 3, character: 0 }, end: { line: 3, character: 2 } };
    const [tools] = stage((workspace) => {
      workspace.handlers = {
        format: ({ range }) => Promise.resolve({ state: ready, edits: range ? [{ range: insert, newText: "" }] : [] }),
      };
    });
    assert.equal(await tools.text("format", { file: "src/main.rs" }), "Format src/main.rs: nothing to change [ready]");
    assert.equal(
      await tools.text("format", { file: "src/main.rs:4" }),
      lines(
        "Format src/main.rs: 1 change in 1 file, not applied yet [ready]",
        "src/main.rs",
        "4 -     // total_area of nothing",
        "4 +   // total_area of nothing",
        "To apply it: apply_edit edit-1",
      ),
    );
  });
});
