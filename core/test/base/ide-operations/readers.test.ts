import assert from "node:assert/strict";
import fc from "fast-check";
import { ideOperationReaders } from "../../../src/base/ide-operations/operation-types.js";
import { type OperationState, operationState, worstState } from "../../../src/base/ide-operations/operation-state.js";
import { Fault } from "../../../src/base/ide-operations/reader.js";
import { ideOperationNames } from "../../../src/base/ide-operations/wire.js";

const position = { line: 3, character: 7 };
const range = { start: position, end: { line: 3, character: 11 } };

describe("the readers of IDE operations", () => {
  it("keep what the contract knows and leave the rest out", () => {
    const read = ideOperationReaders.references.params(
      {
        workspace: "file:///w",
        uri: "file:///w/a.rs",
        position: { ...position, extra: 1 },
        includeDeclaration: true,
        limit: 9,
      },
      "",
    );
    assert.deepEqual(read, { uri: "file:///w/a.rs", position, includeDeclaration: true, limit: 9 });
  });

  it("say where a value is not what was expected", () => {
    const answer = {
      state: { kind: "ready" },
      items: [
        { uri: "a", range },
        { uri: "b", range: { start: position } },
      ],
      total: 2,
    };
    const read = ideOperationReaders.references.result(answer, "");
    assert.equal(read instanceof Fault ? read.message : read, "items[1].range.end: expected an object.");
  });

  it("keep who answers in an editor's place, and that nobody there does", () => {
    const states = [
      { kind: "ready", by: ["gopls"] },
      { kind: "loading", percent: 4, by: ["gopls"] },
      { kind: "degraded", reason: "no extension", isUnserved: true },
    ];
    assert.deepEqual(
      states.map((state) => operationState(state, "")),
      states,
    );
  });

  it("take null for an absent member", () => {
    const read = ideOperationReaders.diagnostics.params({ uri: null, since: null }, "");
    assert.deepEqual(read, {});
  });

  it("refuse a position below 0, between two lines, or beyond exact numbers", () => {
    for (const line of [-1, 1.5, Number.MAX_SAFE_INTEGER + 1, "1", null]) {
      const read = ideOperationReaders.hover.params({ uri: "a", position: { line, character: 0 } }, "");
      assert.ok(read instanceof Fault, String(line));
      assert.equal(read.path, "position.line");
    }
  });

  it("keep every kind of change in an edit", () => {
    const changes = [
      { kind: "edit", uri: "a", edits: [{ range, newText: "x" }] },
      { kind: "create", uri: "b", overwrite: true },
      { kind: "rename", from: "c", to: "d" },
      { kind: "delete", uri: "e" },
    ];
    const params = { edit: { changes }, label: "Rename x" };
    assert.deepEqual(ideOperationReaders.applyEdit.params(params, ""), params);
  });

  it("refuse a change of an unknown kind, whose meaning could be lost", () => {
    const read = ideOperationReaders.applyEdit.params(
      { edit: { changes: [{ kind: "chmod", uri: "a" }] }, label: "" },
      "",
    );
    assert.equal(read instanceof Fault ? read.path : read, "edit.changes[0].kind");
  });

  it("never throw, whatever comes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ideOperationNames), fc.anything(), (name, value) => {
        ideOperationReaders[name].params(value, "");
        ideOperationReaders[name].result(value, "");
      }),
    );
  });
});

describe("the state of an answer", () => {
  it("is read with what belongs to it", () => {
    const states = [
      { kind: "ready" },
      { kind: "loading", percent: 40 },
      { kind: "loading" },
      { kind: "degraded", reason: "no sources" },
    ];
    assert.deepEqual(
      states.map((state) => operationState(state, "")),
      states,
    );
  });

  it("is the worst of several", () => {
    const loading = { kind: "loading" } as const;
    const degraded = { kind: "degraded", reason: "x" } as const;
    assert.deepEqual(
      [worstState([]), worstState([{ kind: "ready" }, loading]), worstState([loading, degraded])],
      [{ kind: "ready" }, loading, degraded],
    );
  });

  it("make one state of several, with all who answered", () => {
    const by = (...servers: string[]): OperationState => ({ kind: "ready", by: servers });
    assert.deepEqual(worstState([by("gopls"), { kind: "loading" }, by("clangd", "gopls")]), {
      kind: "loading",
      by: ["gopls", "clangd"],
    });
  });
});
