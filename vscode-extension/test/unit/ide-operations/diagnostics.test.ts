import assert from "node:assert/strict";
import type { IdeResult } from "@symposium-dev/core";
import type * as vscode from "vscode";
import { DocumentDiagnostics, diagnosticsOperations } from "../../../src/features/ide-operations/diagnostics.js";
import { Languages } from "../../../src/features/ide-operations/languages.js";
import { FakeEditor, vsDiagnostic, vsUri } from "./fake-editor.js";

const { signal } = new AbortController();
const times = { startMs: 50, youngMs: 0, settleMs: 1, againMs: 1 };

describe("the diagnostics of a workspace", () => {
  let said: Map<vscode.Uri, vscode.Diagnostic[]>;
  let edit: (uri: vscode.Uri) => void;
  let documentDiagnostics: DocumentDiagnostics;
  let isServed: boolean;

  beforeEach(() => {
    said = new Map();
    isServed = true;
    const nothing = { [Symbol.dispose]: () => undefined };
    documentDiagnostics = new DocumentDiagnostics(
      {
        all: () => [...said],
        of: (uri) => [...said].find(([one]) => `file://${one.fsPath}` === uri)?.[1] ?? [],
        check: () => Promise.resolve(undefined),
        onChanged: () => nothing,
        onEdited: (listener) => {
          edit = listener;
          return nothing;
        },
      },
      { waitMs: 1, silenceMs: 60_000 },
    );
  });
  afterEach(() => documentDiagnostics[Symbol.dispose]());

  function ask(params: { uri?: string; since?: string } = {}): Promise<IdeResult<"diagnostics">> {
    const editor = new FakeEditor({ "vscode.executeDocumentSymbolProvider": () => (isServed ? [] : undefined) });
    const languages = new Languages(editor, times);
    const { diagnostics } = diagnosticsOperations({ folder: "/project", editor, languages }, documentDiagnostics);
    return diagnostics(params, signal);
  }

  it("are those of its files alone, in order", async () => {
    for (const path of ["/project/b.rs", "/elsewhere/c.rs", "/project/a.rs"])
      said.set(vsUri(path), [vsDiagnostic(path)]);
    const { files } = await ask();
    assert.deepEqual(
      files.map(({ uri }) => uri),
      ["file:///project/a.rs", "file:///project/b.rs"],
    );
  });

  it("are not those of a text that was edited since", async () => {
    said.set(vsUri("/project/a.rs"), [vsDiagnostic("old")]);
    edit(vsUri("/project/a.rs"));
    const { files, pending } = await ask();
    assert.deepEqual([files, pending], [[], ["file:///project/a.rs"]]);
  });

  it("are pending for a text of which nothing has ever been said", async () => {
    edit(vsUri("/project/a.rs"));
    assert.deepEqual((await ask()).pending, ["file:///project/a.rs"]);
  });

  it("are not waited for where nobody serves the language", async () => {
    isServed = false;
    edit(vsUri("/project/a.rs"));
    const { state, pending } = await ask();
    assert.deepEqual([state.kind, pending], ["degraded", []]);
  });

  it("are said of a file that is clean where it was asked for", async () => {
    const uri = "file:///project/a.rs";
    isServed = false;
    assert.deepEqual((await ask({ uri })).files, [{ uri, diagnostics: [] }]);
    assert.deepEqual((await ask()).files, []);
  });
});
