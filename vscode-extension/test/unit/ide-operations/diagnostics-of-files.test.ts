import assert from "node:assert/strict";
import type { Diagnostic } from "@symposium-dev/core";
import type * as vscode from "vscode";
import { DiagnosticsBoard, type DiagnosticsSource } from "../../../src/features/ide-operations/diagnostics.js";
import type { EditorDocument } from "../../../src/features/ide-operations/editor.js";
import { vsDiagnostic, vsUri } from "./fake-editor.js";

const uri = "file:///a.rs";
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const document = { uri: vsUri("/a.rs"), languageId: "rust" } as unknown as EditorDocument;

/** What an extension says, and when. */
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

describe("the board of diagnostics", () => {
  let source: FakeSource;
  let board: DiagnosticsBoard;
  beforeEach(() => {
    source = new FakeSource();
    board = new DiagnosticsBoard(source, { waitMs: 20, silenceMs: 60_000 });
  });
  afterEach(() => board[Symbol.dispose]());

  const messages = (): string[] => board.of(uri).map(({ message }) => message);

  it("has what the extension says, and since when", () => {
    const before = board.cursor;
    source.say("no");
    assert.deepEqual(
      [messages(), board.files, board.hasChanged(uri, before), board.hasChanged(uri, board.cursor)],
      [["no"], [uri], true, false],
    );
  });

  it("takes everything for new to a cursor that it has not given", () => {
    assert.equal(board.hasChanged(uri, "other-99"), true);
  });

  it("waits for what the extension says of an edit", async () => {
    source.say("old");
    source.edit(document.uri);
    const checked = board.check(document, true);
    source.say("new");
    await checked;
    assert.deepEqual([board.isPending(uri), messages()], [false, ["new"]]);
  });

  it("calls a file pending whose edit nobody has spoken about", async () => {
    source.say("old");
    source.edit(document.uri);
    await board.check(document, true);
    assert.deepEqual([board.isPending(uri), board.touched], [true, [uri]]);
  });

  it("takes long silence for nothing to say", async () => {
    board = new DiagnosticsBoard(source, { waitMs: 1, silenceMs: 0 });
    source.edit(document.uri);
    await board.check(document, true);
    assert.equal(board.isPending(uri), false);
  });

  it("waits for the first word about a document that was asked for", async () => {
    await board.check(document, true);
    assert.equal(board.isPending(uri), true);
  });

  it("prefers what the extension answers, and notes when that changes", async () => {
    source.answer = [{ range, severity: "error", message: "asked", source: "ts" }];
    source.edit(document.uri);
    await board.check(document, true);
    const { cursor } = board;
    assert.deepEqual([messages(), board.isPending(uri)], [["asked"], false]);
    await board.check(document, false);
    assert.equal(board.hasChanged(uri, cursor), false);
    source.answer = [];
    await board.check(document, false);
    assert.deepEqual([messages(), board.hasChanged(uri, cursor)], [[], true]);
  });

  it("forgets a file that is gone", async () => {
    source.answer = [{ range, severity: "error", message: "asked" }];
    await board.check(document, true);
    const { cursor } = board;
    board.forget(uri);
    assert.deepEqual([messages(), board.touched, board.hasChanged(uri, cursor)], [[], [], true]);
  });

  it("looks after the latest 50 files", async () => {
    for (let n = 0; n < 60; n++) source.edit(vsUri(`/${n}.rs`));
    assert.deepEqual([board.touched.length, board.touched[0]], [50, "file:///10.rs"]);
    await board.check(document, false);
    assert.equal(board.touched.at(-1), uri);
  });
});
