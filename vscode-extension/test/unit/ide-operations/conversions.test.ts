import { pageOf } from "@symposium-dev/core";
import assert from "node:assert/strict";
import type * as vscode from "vscode";
import { toDiagnostic, toTypeScriptDiagnostics } from "../../../src/features/ide-operations/diagnostics.js";
import { inOrder, toTarget, toUri } from "../../../src/features/ide-operations/places.js";
import { nameRange, toFoundSymbol, toOutline } from "../../../src/features/ide-operations/symbols.js";
import { toWorkspaceEdit } from "../../../src/features/ide-operations/workspace-edits.js";
import { vsDiagnostic, vsLocation, vsRange, vsUri } from "./fake-editor.js";

const range = (line: number, from: number, to: number): { start: object; end: object } => ({
  start: { line, character: from },
  end: { line, character: to },
});

describe("what VS Code answers, as the wire has it:", () => {
  it("URIs of files are written in one way, others stay", () => {
    assert.deepEqual(
      [toUri(vsUri("/a b/ä#.ts")), toUri(vsUri("c:\\x.ts")), toUri(vsUri("/x.class", "jdt"))],
      ["file:///a%20b/%C3%A4%23.ts", "file:///C:/x.ts", "jdt:/x.class"],
    );
  });

  it("a definition is its name and its extent", () => {
    const link = { targetUri: vsUri("/a.ts"), targetRange: vsRange(1, 0, 9), targetSelectionRange: vsRange(1, 4, 5) };
    const location = vsLocation("/a.ts", vsRange(1, 4, 5));
    const uri = "file:///a.ts";
    assert.deepEqual(
      [
        toTarget(link),
        toTarget({ ...link, targetSelectionRange: undefined } as unknown as vscode.LocationLink),
        toTarget(location),
      ],
      [
        { uri, range: range(1, 4, 5), extent: range(1, 0, 9) },
        { uri, range: range(1, 0, 9), extent: range(1, 0, 9) },
        { uri, range: range(1, 4, 5) },
      ],
    );
  });

  it("places are in order, each once, and come in parts", () => {
    const at = (uri: string, line: number): Parameters<typeof inOrder>[0][number] => ({
      uri,
      range: { start: { line, character: 0 }, end: { line, character: 1 } },
    });
    const places = inOrder([at("b", 1), at("a", 9), at("b", 0), at("a", 9)]);
    assert.deepEqual(places, [at("a", 9), at("b", 0), at("b", 1)]);
    const state = { kind: "ready" } as const;
    assert.deepEqual(pageOf(places, { offset: 1, limit: 1 }, state), { state, items: [at("b", 0)], total: 3 });
    const many = Array.from({ length: 2_001 }, (_, line) => at("a", line));
    const { items, total } = pageOf(many, { limit: 9_999 }, state);
    assert.deepEqual([items.length, total], [2_000, 2_001]);
  });

  it("symbols of all kinds keep their container", () => {
    const symbol = (name: string, kind: number, ...children: object[]): object => ({
      name,
      kind,
      detail: name === "x" ? "i32" : "",
      containerName: "",
      range: vsRange(0, 0, 9),
      selectionRange: vsRange(0, 1, 2),
      children,
    });
    const outline = toOutline("u", [symbol("S", 22, symbol("x", 7), symbol("odd", 99))] as vscode.DocumentSymbol[]);
    const place = { uri: "u", range: range(0, 0, 9), selectionRange: range(0, 1, 2) };
    assert.deepEqual(outline, [
      { ...place, name: "S", kind: "struct", depth: 0 },
      { ...place, name: "x", kind: "field", depth: 1, detail: "i32", container: "S" },
      { ...place, name: "odd", kind: "variable", depth: 1, container: "S" },
    ]);
  });

  it("a found symbol says where its name stands, not where its declaration begins", () => {
    const text = "// area\n/** area */ pub fn areas() {}\nfn area() {}\n";
    const whole = { start: { line: 1, character: 0 }, end: { line: 2, character: 12 } };
    assert.deepEqual(nameRange(text, whole, "area"), range(1, 4, 8));
    assert.deepEqual(nameRange(text, { ...whole, start: { line: 1, character: 12 } }, "area"), range(2, 3, 7));
    assert.deepEqual(nameRange("", whole, "area"), { start: whole.start, end: whole.start });
    const location = { uri: vsUri("/a.rs"), range: vsRange(2, 0, 12) };
    const found = { name: "area()", kind: 11, containerName: "shape", location } as unknown as vscode.SymbolInformation;
    assert.deepEqual(toFoundSymbol(found, text), {
      name: "area",
      kind: "function",
      uri: "file:///a.rs",
      range: range(2, 0, 12),
      selectionRange: range(2, 3, 7),
      container: "shape",
    });
  });

  it("diagnostics keep code, source and related places", () => {
    const diagnostic = vsDiagnostic("no", {
      range: vsRange(0, 1, 2),
      severity: 1,
      code: { value: 42, target: vsUri("/doc") },
      source: "rustc",
      relatedInformation: [{ location: vsLocation("/b.rs", vsRange(3, 0, 1)), message: "here" }],
    });
    assert.deepEqual(toDiagnostic(diagnostic), {
      range: range(0, 1, 2),
      severity: "warning",
      message: "no",
      code: "42",
      source: "rustc",
      related: [{ location: { uri: "file:///b.rs", range: range(3, 0, 1) }, message: "here" }],
    });
  });

  it("diagnostics of TypeScript's server are counted from 0", () => {
    const body = [
      { start: { line: 1, offset: 5 }, end: { line: 1, offset: 6 }, text: "no", code: 2322, category: "error" },
    ];
    assert.deepEqual(toTypeScriptDiagnostics({ type: "response", body }), [
      { range: range(0, 4, 5), severity: "error", message: "no", code: "2322", source: "ts" },
    ]);
    assert.equal(toTypeScriptDiagnostics({ type: "cancelled" }), undefined);
  });

  describe("an edit", () => {
    const text = (path: string, newText: string): object => ({
      _type: 2,
      uri: vsUri(path),
      edit: { range: vsRange(0, 0, 1), newText },
    });
    const edit = (entries: readonly object[]): vscode.WorkspaceEdit =>
      ({ _allEntries: () => entries }) as unknown as vscode.WorkspaceEdit;
    const step = (uri: string, ...texts: string[]): object => ({
      kind: "edit",
      uri,
      edits: texts.map((newText) => ({ range: range(0, 0, 1), newText })),
    });

    it("joins the changes of one document", () => {
      const converted = toWorkspaceEdit(edit([text("/a", "1"), text("/a", "2"), text("/b", "3")]));
      assert.deepEqual(converted?.changes, [step("file:///a", "1", "2"), step("file:///b", "3")]);
    });

    it("changes texts before their files move, and those of new files after", () => {
      const moved = { _type: 1, from: vsUri("/a"), to: vsUri("/c") };
      const converted = toWorkspaceEdit(edit([moved, text("/a", "1"), text("/c", "2")]));
      const rename = { kind: "rename", from: "file:///a", to: "file:///c" };
      assert.deepEqual(converted?.changes, [step("file:///a", "1"), rename, step("file:///c", "2")]);
    });

    it("creates files with their content, and deletes", () => {
      const contents = new TextEncoder().encode("new");
      const created = { _type: 1, to: vsUri("/a"), options: { overwrite: true, contents } };
      const converted = toWorkspaceEdit(edit([created, { _type: 1, from: vsUri("/b") }]));
      assert.deepEqual(converted?.changes, [
        { kind: "create", uri: "file:///a", overwrite: true },
        { kind: "delete", uri: "file:///b" },
        { kind: "edit", uri: "file:///a", edits: [{ range: range(0, 0, 0), newText: "new" }] },
      ]);
    });

    it("is none where it holds what is neither text nor files", () => {
      assert.equal(toWorkspaceEdit(edit([{ _type: 6, uri: vsUri("/a") }])), undefined);
    });

    it("has its texts where VS Code tells no more", () => {
      const entries = (): unknown => [[vsUri("/a"), [{ range: vsRange(0, 0, 1), newText: "1" }]]];
      const converted = toWorkspaceEdit({ entries } as unknown as vscode.WorkspaceEdit);
      assert.deepEqual(converted?.changes, [step("file:///a", "1")]);
    });
  });
});
