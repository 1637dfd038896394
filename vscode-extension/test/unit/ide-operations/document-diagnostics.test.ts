import assert from "node:assert/strict";
import type { Diagnostic } from "@symposium-dev/core";
import type * as vscode from "vscode";
import { DocumentDiagnostics, type DiagnosticsSource } from "../../../src/features/ide-operations/diagnostics.js";
import type { EditorDocument } from "../../../src/features/ide-operations/editor.js";
import { vsDiagnostic, vsUri } from "./fake-editor.js";

const uri = "file:///a.rs";
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const document = { uri: vsUri("/a.rs"), languageId: "rust" } as unknown as EditorDocument;

/** Diagnostics source that tests control. */
class FakeSource implements DiagnosticsSource {
  said: vscode.Diagnostic[] = [];
  answer: readonly Diagnostic[] | undefined;
  spoke: (uris: readonly vscode.Uri[]) => void = () => undefined;
  edit: (uri: vscode.Uri) => void = () => undefined;

  all(): [vscode.Uri, vscode.Diagnostic[]][] {
    return this.said.length === 0 ? [] : [[document.uri, this.said]];
  }
  of(): vscode.Diagnostic[] {
    return this.said;
  }
  check(): Promise<readonly Diagnostic[] | undefined> {
    return Promise.resolve(this.answer);
  }
  onChanged(listener: FakeSource["spoke"]): Disposable {
    this.spoke = listener;
    return { [Symbol.dispose]: () => undefined };
  }
  onEdited(listener: FakeSource["edit"]): Disposable {
    this.edit = listener;
    return { [Symbol.dispose]: () => undefined };
  }

  say(...messages: string[]): void {
    this.said = messages.map((message) => vsDiagnostic(message));
    this.spoke([document.uri]);
  }
}

describe("the diagnostics of documents", () => {
  let source: FakeSource;
  let documentDiagnostics: DocumentDiagnostics;
  beforeEach(() => {
    source = new FakeSource();
    documentDiagnostics = new DocumentDiagnostics(source, { waitMs: 20, silenceMs: 60_000 });
  });
  afterEach(() => documentDiagnostics[Symbol.dispose]());

  const messages = (): string[] => documentDiagnostics.of(uri).map(({ message }) => message);

  it("has what the extension says, and since when", () => {
    const before = documentDiagnostics.cursor;
    source.say("no");
    assert.deepEqual(
      [
        messages(),
        documentDiagnostics.files,
        documentDiagnostics.hasChanged(uri, before),
        documentDiagnostics.hasChanged(uri, documentDiagnostics.cursor),
      ],
      [["no"], [uri], true, false],
    );
  });

  it("takes everything for new to a cursor that it has not given", () => {
    assert.equal(documentDiagnostics.hasChanged(uri, "other-99"), true);
  });

  it("waits for what the extension says of an edit", async () => {
    source.say("old");
    source.edit(document.uri);
    const checked = documentDiagnostics.check(document, true);
    source.say("new");
    await checked;
    assert.deepEqual([documentDiagnostics.isPending(uri), messages()], [false, ["new"]]);
  });

  it("calls a file pending whose edit nobody has spoken about", async () => {
    source.say("old");
    source.edit(document.uri);
    await documentDiagnostics.check(document, true);
    assert.deepEqual([documentDiagnostics.isPending(uri), documentDiagnostics.touched], [true, [uri]]);
  });

  it("takes long silence for nothing to say", async () => {
    documentDiagnostics = new DocumentDiagnostics(source, { waitMs: 1, silenceMs: 0 });
    source.edit(document.uri);
    await documentDiagnostics.check(document, true);
    assert.equal(documentDiagnostics.isPending(uri), false);
  });

  it("waits for the first word about a document that was asked for", async () => {
    await documentDiagnostics.check(document, true);
    assert.equal(documentDiagnostics.isPending(uri), true);
  });

  it("prefers what the extension answers, and notes when that changes", async () => {
    source.answer = [{ range, severity: "error", message: "asked", source: "ts" }];
    source.edit(document.uri);
    await documentDiagnostics.check(document, true);
    const { cursor } = documentDiagnostics;
    assert.deepEqual([messages(), documentDiagnostics.isPending(uri)], [["asked"], false]);
    await documentDiagnostics.check(document, false);
    assert.equal(documentDiagnostics.hasChanged(uri, cursor), false);
    source.answer = [];
    await documentDiagnostics.check(document, false);
    assert.deepEqual([messages(), documentDiagnostics.hasChanged(uri, cursor)], [[], true]);
  });

  it("forgets a file that is gone", async () => {
    source.answer = [{ range, severity: "error", message: "asked" }];
    await documentDiagnostics.check(document, true);
    const { cursor } = documentDiagnostics;
    documentDiagnostics.forget(uri);
    assert.deepEqual(
      [messages(), documentDiagnostics.touched, documentDiagnostics.hasChanged(uri, cursor)],
      [[], [], true],
    );
  });

  it("looks after the latest 50 files", async () => {
    for (let n = 0; n < 60; n++) source.edit(vsUri(`/${n}.rs`));
    assert.deepEqual([documentDiagnostics.touched.length, documentDiagnostics.touched[0]], [50, "file:///10.rs"]);
    await documentDiagnostics.check(document, false);
    assert.equal(documentDiagnostics.touched.at(-1), uri);
  });
});
