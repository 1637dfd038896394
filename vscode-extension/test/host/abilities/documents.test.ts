import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Documents } from "../../../src/features/documents/documents.js";
import { vsCodeOpenDocuments } from "../../../src/features/documents/vscode-open-documents.js";
import { RecordingSession } from "../../unit/permissions/recording-session.js";

describe("documents in VS Code", () => {
  let folder: string;
  let session: RecordingSession;
  let written: [before: string | undefined, after: string][];
  let documents: Documents;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "documents-")));
    session = new RecordingSession([folder]);
    written = [];
    documents = new Documents({
      open: vsCodeOpenDocuments,
      permissions: { allows: () => Promise.resolve(false), hasGranted: () => false },
      written: ({ before, after }) => written.push([before, after]),
    });
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true });
  });

  const read = (path: string): Promise<unknown> => documents.requests["fs/read_text_file"](session.call({ path }));
  const write = (path: string, content: string): Promise<unknown> =>
    documents.requests["fs/write_text_file"](session.call({ path, content }));

  async function open(name: string, text: string): Promise<vscode.TextEditor> {
    await writeFile(join(folder, name), text);
    return vscode.window.showTextDocument(vscode.Uri.file(join(folder, name)));
  }

  it("reads what the user has typed and not saved", async () => {
    const editor = await open("a.txt", "disk");
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "unsaved "));
    assert.deepEqual(await read(join(folder, "a.txt")), { content: "unsaved disk" });
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("writes an open document so that it is saved and can be undone", async () => {
    const { document } = await open("a.txt", "one\r\ntwo\r\n");
    await write(document.uri.fsPath, "one\n2\n");
    assert.equal(await readFile(document.uri.fsPath, "utf8"), "one\r\n2\r\n");
    assert.deepEqual(written, [["one\r\ntwo\r\n", "one\r\n2\r\n"]]);
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), "one\r\ntwo\r\n");
    await document.save();
  });

  it("leaves the cursor where it is", async () => {
    const editor = await open("a.txt", "one\ntwo\nthree\n");
    editor.selection = new vscode.Selection(2, 3, 2, 3);
    await write(editor.document.uri.fsPath, "one\n2\nthree\n");
    assert.deepEqual([editor.selection.active.line, editor.selection.active.character], [2, 3]);
  });

  it("keeps the encoding that a file names by its first bytes", async () => {
    const path = join(folder, "wide.txt");
    await writeFile(path, Buffer.from("\ufeffold ä", "utf16le"));
    assert.deepEqual(await read(path), { content: "old ä" });
    await write(path, "new ö");
    assert.deepEqual(await readFile(path), Buffer.from("\ufeffnew ö", "utf16le"));
    assert.deepEqual(written, [["old ä", "new ö"]]);
  });

  it("writes a file that nobody has open", async () => {
    const path = join(folder, "new", "ä.txt");
    await write(path, "text ✓\n");
    assert.equal(await readFile(path, "utf8"), "text ✓\n");
    assert.deepEqual(written, [[undefined, "text ✓\n"]]);
  });
});
