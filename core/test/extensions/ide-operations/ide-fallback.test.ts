import assert from "node:assert/strict";
import type { IdeOperationHandlers } from "../../../src/base/ide-operations/ide-operations.js";
import { type OperationState, ready } from "../../../src/base/ide-operations/operation-state.js";
import type { SymbolItem } from "../../../src/base/ide-operations/symbol-item.js";
import { maxIdeItems } from "../../../src/base/ide-operations/wire.js";
import { byOwn, FallbackStage, page, place, range, unserved } from "./fallback-stage.js";

const edit = { changes: [{ kind: "edit", uri: place.uri, edits: [{ range, newText: "sum" }] }] } as const;

function symbol(name: string): SymbolItem {
  return { name, kind: "function", uri: place.uri, range, selectionRange: range };
}

describe("an editor that is asked before language servers of our own", () => {
  it("answers alone for a language that is served, is about to be, or whose extension is silent", async () => {
    const silent: OperationState = { kind: "degraded", reason: "Rusty: installed, but without an answer." };
    for (const state of [ready, { kind: "loading" }, silent] as const) {
      const stage = new FallbackStage();
      stage.languages = { [place.uri]: state };
      stage.editor = {
        definition: () => page([], state),
        workspaceSymbols: () => page([], state),
        rename: () => Promise.resolve({ state, edit: null, refusal: "no" }),
        diagnostics: () => Promise.resolve({ state, files: [], pending: [], cursor: "1" }),
      };
      assert.deepEqual(await stage.ask("definition", place), { state, items: [], total: 0 });
      await stage.ask("workspaceSymbols", { query: "sum" });
      await stage.ask("rename", { ...place, newName: "sum" });
      await stage.ask("diagnostics", {});
      await stage.ask("diagnostics", { uri: place.uri });
      assert.deepEqual(
        stage.log,
        ["definition", "workspaceSymbols", "rename", "diagnostics", "diagnostics"].map((name) => `editor ${name}`),
      );
    }
  });

  it("has a language server that is installed stand in for a language that nobody serves, which the answer says", async () => {
    const stage = new FallbackStage();
    const found = [{ uri: place.uri, range }];
    stage.editor = {
      definition: () => page([], unserved),
      hover: () => Promise.resolve({ state: unserved, text: null }),
    };
    stage.own = { definition: () => page(found), hover: () => Promise.resolve({ state: ready, text: "fn sum" }) };
    assert.deepEqual(await stage.ask("definition", place), { state: byOwn, items: found, total: 1 });
    assert.deepEqual(await stage.ask("hover", place), { state: byOwn, text: "fn sum" });
    assert.deepEqual(stage.log, ["editor definition", "open", "own definition", "editor hover", "own hover"]);
  });

  it("takes over with the next question when an extension comes", async () => {
    const stage = new FallbackStage();
    stage.own = { hover: () => Promise.resolve({ state: ready, text: "ours" }) };
    const said: unknown[] = [];
    for (const state of [unserved, { kind: "loading" }, ready] as const) {
      stage.editor = { hover: () => Promise.resolve({ state, text: state.kind === "ready" ? "theirs" : null }) };
      said.push(await stage.ask("hover", place));
    }
    assert.deepEqual(said, [
      { state: byOwn, text: "ours" },
      { state: { kind: "loading" }, text: null },
      { state: ready, text: "theirs" },
    ]);
  });

  it("keeps what it has found itself, whoever it says is missing", async () => {
    const stage = new FallbackStage();
    const formatted = { state: unserved, edits: [] };
    stage.editor = {
      definition: () => page([{ uri: place.uri, range }], unserved),
      format: () => Promise.resolve(formatted),
    };
    assert.equal((await stage.ask("definition", place)).state, unserved);
    assert.equal(await stage.ask("format", { uri: place.uri }), formatted);
    assert.deepEqual(stage.log, ["editor definition", "editor format"]);
  });

  it("says what to install for either, and asks no language server, where none is installed", async () => {
    const stage = new FallbackStage();
    stage.finding = { kind: "missing", reason: "gopls is not on PATH. Run `go install`." };
    stage.editor = { references: () => page([], unserved), workspaceSymbols: () => page([], unserved) };
    const reason =
      'No extension serves "rust". No installed language server can take over: gopls is not on PATH. Run `go install`.';
    const answer = { state: { ...unserved, reason }, items: [], total: 0 };
    assert.deepEqual(await stage.ask("references", { ...place, includeDeclaration: true }), answer);
    assert.deepEqual(await stage.ask("workspaceSymbols", { query: "sum" }), answer);
    assert.deepEqual(stage.log, ["editor references", "open", "editor workspaceSymbols"]);
  });

  it("is left alone with files that no language server knows", async () => {
    const stage = new FallbackStage();
    stage.finding = { kind: "unknown" };
    stage.editor = { documentSymbols: () => page([], unserved) };
    assert.deepEqual(await stage.ask("documentSymbols", place), { state: unserved, items: [], total: 0 });
  });

  it("makes the edits, also those that a language server has worked out", async () => {
    const stage = new FallbackStage();
    stage.editor = {
      rename: () => Promise.resolve({ state: unserved, edit: null, refusal: "Nothing can be renamed here." }),
      applyEdit: () => Promise.resolve({ state: ready, isApplied: true }),
    };
    stage.own = { rename: () => Promise.resolve({ state: ready, edit }) };
    const renamed = await stage.ask("rename", { ...place, newName: "sum" });
    assert.deepEqual(renamed, { state: byOwn, edit });
    await stage.ask("applyEdit", { edit, label: "Rename" });
    assert.deepEqual(stage.log, ["editor rename", "open", "own rename", "editor applyEdit"]);
  });

  it("offers its code actions and those of a language server together, and each resolves its own", async () => {
    const stage = new FallbackStage();
    stage.editor = {
      codeActions: () => page([{ id: "action-1", title: "Add to dictionary" }], unserved),
      resolveCodeAction: ({ id }) => Promise.resolve({ state: ready, edit: null, refusal: `editor ${id}` }),
    };
    stage.own = {
      codeActions: () => page([{ id: "action-1", title: "Import" }]),
      resolveCodeAction: ({ id }) => Promise.resolve({ state: ready, edit: null, refusal: `own ${id}` }),
    };
    const { state, items } = await stage.ask("codeActions", { uri: place.uri, range, offset: 0, limit: 9 });
    assert.deepEqual([state, items.map(({ title }) => title)], [byOwn, ["Add to dictionary", "Import"]]);
    const resolved = await Promise.all(items.map(({ id }) => stage.ask("resolveCodeAction", { id })));
    assert.deepEqual(
      resolved.map(({ refusal }) => refusal),
      ["editor action-1", "own action-1"],
    );
  });

  it("keeps its own part of an answer where a language server of this machine fails, which the answer says", async () => {
    const stage = new FallbackStage();
    const action = { id: "action-1", title: "Add to dictionary" };
    const files = [{ uri: place.uri, diagnostics: [{ range, severity: "hint", message: "sumn" }] }] as const;
    stage.editor = {
      codeActions: () => page([action], unserved),
      diagnostics: () => Promise.resolve({ state: unserved, files, pending: [], cursor: "1" }),
    };
    stage.own = {
      codeActions: () => Promise.reject(new Error("no socket")),
      diagnostics: () => Promise.reject(new Error("no socket")),
    };
    const state: OperationState = { kind: "degraded", reason: "no socket", by: ["rust-analyzer"] };
    assert.deepEqual(await stage.ask("codeActions", { uri: place.uri, range }), { state, items: [action], total: 1 });
    const diagnosed = await stage.ask("diagnostics", { uri: place.uri });
    assert.deepEqual([diagnosed.state, diagnosed.files], [state, files]);
  });

  it("keeps its own part of an answer where nothing of this machine can be looked for", async () => {
    const stage = new FallbackStage();
    const action = { id: "action-1", title: "Add to dictionary" };
    stage.languages = { "file:///w/a.rs": unserved, "file:///w/b.ts": ready };
    stage.editor = { codeActions: () => page([action], unserved), workspaceSymbols: () => page([symbol("sum")]) };
    stage.open = () => Promise.reject(new Error("no package"));
    const { state, items } = await stage.ask("codeActions", { uri: place.uri, range });
    const reason = 'No extension serves "rust". No installed language server can take over: no package';
    assert.deepEqual([state, items], [{ ...unserved, reason }, [action]]);
    const found = await stage.ask("workspaceSymbols", { query: "sum" });
    assert.deepEqual([found.state, found.items], [ready, [symbol("sum")]]);
  });

  describe("about the whole workspace", () => {
    it("has its own answer where it cannot say which languages it serves", async () => {
      const stage = new FallbackStage();
      stage.editor = {
        workspaceSymbols: () => page([symbol("sum")]),
        status: () => Promise.reject(new Error("no document")),
      };
      assert.deepEqual(await stage.ask("workspaceSymbols", { query: "sum" }), {
        state: ready,
        items: [symbol("sum")],
        total: 1,
      });
    });

    it("is joined by language servers for the languages that nobody serves, and for no others", async () => {
      const stage = new FallbackStage();
      stage.languages = { "file:///w/a.rs": unserved, "file:///w/b.ts": ready };
      const asked: unknown[] = [];
      stage.editor = { workspaceSymbols: () => page([symbol("sum_a")]) };
      stage.own = {
        workspaceSymbols: (params) => {
          asked.push(params.documents);
          return page([symbol("sum_b")]);
        },
      };
      const found = await stage.ask("workspaceSymbols", { query: "sum" });
      assert.deepEqual(found, { state: byOwn, items: ["sum_a", "sum_b"].map(symbol), total: 2 });
      assert.deepEqual(asked, [["file:///w/a.rs"]]);
    });

    it("has its own symbols first and then theirs, however many, whatever part is asked for", async () => {
      const stage = new FallbackStage();
      const listOf = (name: string, length: number): IdeOperationHandlers => {
        const all = Array.from({ length }, (_, index) => symbol(`${name}_${index}`));
        return {
          workspaceSymbols: ({ offset = 0, limit = maxIdeItems }) =>
            Promise.resolve({ state: ready, items: all.slice(offset, offset + limit), total: all.length }),
        };
      };
      stage.editor = listOf("editor", maxIdeItems + 2);
      stage.own = listOf("own", 3);
      const parts: unknown[] = [];
      for (const offset of [0, maxIdeItems - 2, maxIdeItems, maxIdeItems + 2, maxIdeItems + 4, maxIdeItems + 6]) {
        const { items, total } = await stage.ask("workspaceSymbols", { query: "", offset, limit: 4 });
        assert.equal(total, maxIdeItems + 5);
        parts.push(items.map(({ name }) => name).join(" "));
      }
      assert.deepEqual(parts, [
        "editor_0 editor_1 editor_2 editor_3",
        "editor_1998 editor_1999 editor_2000 editor_2001",
        "editor_2000 editor_2001 own_0 own_1",
        "own_0 own_1 own_2",
        "own_2",
        "",
      ]);
    });

    it("does not suffer from a language server that lacks something and finds nothing", async () => {
      const stage = new FallbackStage();
      const degraded: OperationState = { kind: "degraded", reason: "no std" };
      stage.languages = { "file:///w/a.rs": unserved, "file:///w/b.ts": ready };
      stage.editor = { workspaceSymbols: () => page([symbol("sum")]) };
      stage.own = { workspaceSymbols: () => page([], degraded) };
      assert.deepEqual((await stage.ask("workspaceSymbols", { query: "sum" })).state, ready);
      stage.own = { workspaceSymbols: () => Promise.reject(new Error("no socket")) };
      assert.deepEqual((await stage.ask("workspaceSymbols", { query: "sum" })).state, ready);
      stage.own = { workspaceSymbols: () => page([symbol("sum")], degraded) };
      const { state } = await stage.ask("workspaceSymbols", { query: "sum" });
      assert.deepEqual(state, { ...degraded, by: ["rust-analyzer"] });
    });

    it("says that a language server failed where nobody else has an answer", async () => {
      const stage = new FallbackStage();
      stage.editor = { workspaceSymbols: () => page([], unserved) };
      stage.own = { workspaceSymbols: () => Promise.reject(new Error("no socket")) };
      const { state } = await stage.ask("workspaceSymbols", { query: "sum" });
      assert.deepEqual(state, { kind: "degraded", reason: "no socket", by: ["rust-analyzer"] });
    });

    it("tells what both know is wrong, and what has changed since for each", async () => {
      const stage = new FallbackStage();
      const wrong = (message: string): object => ({ range, severity: "error", message });
      const sinces: unknown[] = [];
      const answers = (who: string, state = ready) => ({
        diagnostics: ({ since }: { readonly since?: string }) => {
          sinces.push([who, since]);
          const files = [{ uri: place.uri, diagnostics: [wrong(who)] }] as never;
          return Promise.resolve({ state, files, pending: [`file:///w/${who}`], cursor: `${who}-1` });
        },
      });
      stage.editor = answers("editor", unserved);
      stage.own = answers("own");
      const { state, files, pending, cursor } = await stage.ask("diagnostics", {});
      assert.deepEqual(
        [state, files, pending],
        [
          byOwn,
          [{ uri: place.uri, diagnostics: [wrong("editor"), wrong("own")] }],
          ["file:///w/editor", "file:///w/own"],
        ],
      );
      await stage.ask("diagnostics", { since: cursor });
      await stage.ask("diagnostics", { uri: place.uri, since: cursor });
      assert.deepEqual(sinces.slice(2), [
        ["editor", "editor-1"],
        ["own", "own-1"],
        ["editor", "editor-1"],
        ["own", "own-1"],
      ]);
    });

    it("lists the servers of both once one of ours was needed", async () => {
      const stage = new FallbackStage();
      stage.editor = { hover: () => Promise.resolve({ state: unserved, text: null }) };
      stage.own = {
        hover: () => Promise.resolve({ state: ready, text: "fn" }),
        status: () => Promise.resolve({ state: ready, servers: [{ name: "rust-analyzer", state: ready, memory: 7 }] }),
      };
      const names = async (): Promise<unknown> => (await stage.ask("status", {})).servers.map(({ name }) => name);
      const before = await names();
      await stage.ask("hover", place);
      assert.deepEqual([before, await names()], [["a language"], ["a language", "rust-analyzer"]]);
    });

    it("lists its own servers where those of this machine do not answer, and says so", async () => {
      const stage = new FallbackStage();
      stage.editor = { hover: () => Promise.resolve({ state: unserved, text: null }) };
      stage.own = {
        hover: () => Promise.resolve({ state: ready, text: "fn" }),
        status: () => Promise.reject(new Error("no socket")),
      };
      await stage.ask("hover", place);
      const { servers } = await stage.ask("status", {});
      assert.deepEqual(servers.slice(1), [
        { name: "installed language servers", state: { kind: "degraded", reason: "no socket" } },
      ]);
    });
  });
});
