import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { HunkDecorations } from "../../../src/features/review/marks/hunk-marks.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";

describe("removed lines behind a change", () => {
  let folder: string;
  let document: vscode.TextDocument;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "removed-"));
    await writeFile(join(folder, "cart.ts"), "new\n");
    document = await vscode.workspace.openTextDocument(join(folder, "cart.ts"));
  });
  after(() => rm(folder, { recursive: true }));

  /** The removed texts that an editor in `viewColumn` gets. */
  function shown(showsRemoved: boolean, viewColumn?: vscode.ViewColumn): readonly unknown[] {
    const book = new ReviewBook();
    const path = document.uri.fsPath;
    book.agentChanged("tab", path, "old\n", "new\n");
    const texts: unknown[] = [];
    const setDecorations: vscode.TextEditor["setDecorations"] = (_type, options) => {
      for (const one of options) if ("renderOptions" in one) texts.push(one.renderOptions.after?.contentText);
    };
    const marks = new HunkDecorations(
      book,
      () => true,
      () => showsRemoved,
    );
    marks.refresh(path, [{ document, viewColumn, setDecorations }]);
    marks.dispose();
    return texts;
  }

  it("are shown if the setting wants them, but not in a diff, which shows them itself", () => {
    assert.deepEqual(
      [shown(true, vscode.ViewColumn.One), shown(false, vscode.ViewColumn.One), shown(true)],
      [["old"], [], []],
    );
  });
});
