import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { PassThrough } from "node:stream";
import { ideOperationMethod, Logger } from "@symposium-dev/core";
import {
  createMessageConnection,
  LSPErrorCodes,
  type MessageConnection,
  PrepareSupportDefaultBehavior,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { serveEditor } from "../../src/editor-server.js";
import { openIdeOperations } from "../../src/index.js";
import { fakeServer } from "../support/fake-server.js";
import { TestFolder } from "../support/folders.js";
import { adaptersOf, openSession, sessionOptions, untilNothingRuns } from "../support/shared-adapter.js";
import { useTestScope } from "../support/test-scope.js";

const settings = fakeServer("none", { lingerMs: 100 });
const never = new AbortController().signal;
const start = { line: 0, character: 0 };

describe("serveEditor", function () {
  this.timeout(120_000);
  before(function () {
    // The running processes are read from /proc.
    if (process.platform !== "linux") this.skip();
  });
  const scope = useTestScope();

  /** An editor that has a server of its own in `folder`. */
  function openEditor(
    folder: TestFolder,
    hasFeatures = false,
    own: object = settings,
  ): {
    readonly editor: MessageConnection;
    readonly exit: Promise<number>;
    readonly toServer: PassThrough;
  } {
    const [toServer, toEditor] = [new PassThrough(), new PassThrough()];
    const exit = serveEditor({
      folder: undefined,
      hasFeatures,
      open: (path, given = own) =>
        Promise.resolve(
          openIdeOperations({ ...sessionOptions(folder, {}), folder: path, settings: given, logger: Logger.silent }),
        ),
      input: toServer,
      output: toEditor,
    });
    const editor = createMessageConnection(new StreamMessageReader(toEditor), new StreamMessageWriter(toServer));
    editor.listen();
    scope().defer(() => editor.dispose());
    return { editor, exit, toServer };
  }

  async function folderOf(): Promise<TestFolder> {
    const folder = scope().use(await TestFolder.create({ "a.fake": "twelve chars\n" }));
    scope().defer(() => untilNothingRuns(folder));
    return folder;
  }

  async function endOf(editor: MessageConnection, exit: Promise<number>): Promise<number> {
    await editor.sendRequest("shutdown");
    await editor.sendNotification("exit");
    return exit;
  }

  /** How long the first line is, for the language server of that folder. */
  async function lengthOfFirstLine(editor: MessageConnection, uri: string): Promise<unknown> {
    const answer = await editor.sendRequest<{ items: { range: { end: { character: number } } }[] }>(
      ideOperationMethod("definition"),
      { uri, position: start },
    );
    return answer.items[0]?.range.end.character;
  }

  it("offers its operations and the documents' sync, and no standard feature, which the editor's own servers have", async () => {
    const folder = await folderOf();
    const { editor, exit } = openEditor(folder);
    const rootUri = pathToFileURL(folder.path).href;
    const { capabilities } = await editor.sendRequest<{ capabilities: { experimental: { ideOperations: string[] } } }>(
      "initialize",
      { processId: process.pid, rootUri, capabilities: {} },
    );
    assert.deepEqual(Object.keys(capabilities).sort(), ["experimental", "textDocumentSync"]);
    assert.ok(capabilities.experimental.ideOperations.includes("references"));
    assert.equal(await endOf(editor, exit), 0);
  });

  it("answers for the text that the editor shows, and for the disk's when it was closed, by the servers of the sessions", async () => {
    const folder = await folderOf();
    const session = scope().use(openSession(folder, settings));
    const { editor, exit } = openEditor(folder);
    const workspaceFolders = [{ uri: pathToFileURL(folder.path).href, name: "it" }];
    await editor.sendRequest("initialize", { processId: null, rootUri: null, workspaceFolders, capabilities: {} });
    const uri = folder.uri("a.fake");
    const textDocument = { uri, languageId: "fake", version: 1, text: "longer than twelve chars\n" };
    const onDisk = await lengthOfFirstLine(editor, uri);
    await editor.sendNotification("textDocument/didOpen", { textDocument });
    const opened = await lengthOfFirstLine(editor, uri);
    await editor.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range: { start, end: { line: 0, character: 6 } }, text: "" }],
    });
    const changed = await lengthOfFirstLine(editor, uri);
    const elsewhere = await session.run("definition", { uri, position: start }, never);
    await editor.sendNotification("textDocument/didClose", { textDocument: { uri } });
    const closed = await lengthOfFirstLine(editor, uri);
    const adapters = await adaptersOf(folder);
    const code = await endOf(editor, exit);
    assert.deepEqual(
      { onDisk, opened, changed, closed, code },
      { onDisk: 12, opened: 24, changed: 18, closed: 12, code: 0 },
    );
    assert.equal(adapters.length, 1);
    assert.equal(elsewhere.items.length, 1);
  });

  it("answers standard requests only if asked to, each editor for its own unsaved text", async () => {
    const folder = await folderOf();
    const uri = folder.uri("a.fake");
    const rootUri = pathToFileURL(folder.path).href;
    const place = { textDocument: { uri }, position: start };
    const [one, other] = [openEditor(folder, true), openEditor(folder, true)];
    const offered: unknown[] = [];
    for (const [index, { editor }] of [one, other].entries()) {
      const { capabilities } = await editor.sendRequest<{ capabilities: object }>("initialize", {
        processId: null,
        rootUri,
        capabilities: {},
      });
      offered.push(Object.keys(capabilities).sort());
      const textDocument = {
        uri,
        languageId: "fake",
        version: 1,
        text: `${"x".repeat(20 + index)}
`,
      };
      await editor.sendNotification("textDocument/didOpen", { textDocument });
    }
    const features = [
      "definitionProvider",
      "diagnosticProvider",
      "hoverProvider",
      "referencesProvider",
      "renameProvider",
    ];
    const expected = [...features, "experimental", "textDocumentSync"].sort();
    assert.deepEqual(offered, [expected, expected]);
    const found: unknown[] = [];
    for (const { editor } of [one, other, one]) found.push(await editor.sendRequest("textDocument/definition", place));
    const line = (character: number): object[] => [{ uri, range: { start, end: { line: 0, character } } }];
    assert.deepEqual(found, [line(20), line(21), line(20)]);
    assert.equal((await adaptersOf(folder)).length, 1);
    await assert.rejects(one.editor.sendRequest("textDocument/rename", { ...place, newName: "it" }), /rename/);
    assert.deepEqual([await endOf(one.editor, one.exit), await endOf(other.editor, other.exit)], [0, 0]);
  });

  it("says before a rename what it would replace, or why the server refuses", async () => {
    const folder = await folderOf();
    const uri = folder.uri("a.fake");
    const rootUri = pathToFileURL(folder.path).href;
    const rename = { prepareSupport: true, prepareSupportDefaultBehavior: PrepareSupportDefaultBehavior.Identifier };
    const answers: Record<string, unknown[]> = {};
    for (const fault of ["prepares", "renames", "none"] as const) {
      const { editor, exit } = openEditor(folder, true, fakeServer(fault, { lingerMs: 100 }));
      const { capabilities } = await editor.sendRequest<{ capabilities: { renameProvider: unknown } }>("initialize", {
        processId: null,
        rootUri,
        capabilities: { textDocument: { rename } },
      });
      assert.deepEqual(capabilities.renameProvider, { prepareProvider: true });
      const textDocument = { uri, languageId: "fake", version: 1, text: "unsaved\n\n\n\n" };
      await editor.sendNotification("textDocument/didOpen", { textDocument });
      const ask = (line: number): Promise<unknown> =>
        editor
          .sendRequest("textDocument/prepareRename", { textDocument: { uri }, position: { line, character: 0 } })
          .catch((error: unknown) => (error instanceof ResponseError ? error.message : error));
      answers[fault] = [await ask(0), await ask(1), await ask(2), await ask(3)];
      assert.equal(await endOf(editor, exit), 0);
    }
    const unknown = "fake doesn't support renames (textDocument/rename).";
    assert.deepEqual(answers, {
      prepares: [
        { range: { start, end: { line: 0, character: 7 } }, placeholder: "shown" },
        { defaultBehavior: true },
        "This is a keyword.",
        "There is nothing to rename at this position.",
      ],
      renames: Array(4).fill({ defaultBehavior: true }),
      none: Array(4).fill(unknown),
    });
  });

  it("refuses to rename in files outside the folder and in sensitive files", async () => {
    const folder = await folderOf();
    const uri = folder.uri("a.fake");
    await symlink(dirname(folder.path), join(folder.path, "link"));
    const { editor, exit } = openEditor(folder, true, fakeServer("renames", { lingerMs: 100 }));
    const rootUri = pathToFileURL(folder.path).href;
    await editor.sendRequest("initialize", { processId: null, rootUri, capabilities: {} });
    const rename = (newName: string): Promise<object> =>
      editor.sendRequest("textDocument/rename", { textDocument: { uri }, position: start, newName });
    const edits = [{ range: { start, end: start }, newText: "x" }];
    assert.deepEqual(await rename("b.fake"), {
      documentChanges: [{ textDocument: { uri: folder.uri("b.fake"), version: null }, edits }],
    });
    for (const path of ["../out.fake", "link/out.fake", "untitled:out.fake"])
      await assert.rejects(rename(path), { code: LSPErrorCodes.RequestFailed, message: /out\.fake.* isn't a file in/ });
    await assert.rejects(rename(".git/config"), { code: LSPErrorCodes.RequestFailed, message: /config, but it / });
    assert.equal(await endOf(editor, exit), 0);
  });

  it("says what is missing where the editor has no folder, and ends with 1 where the editor is gone without a word", async () => {
    const folder = await folderOf();
    const { editor, exit, toServer } = openEditor(folder);
    await assert.rejects(
      editor.sendRequest("initialize", { processId: null, rootUri: null, capabilities: {} }),
      /no folder to serve\. Pass `workspaceFolders`/,
    );
    toServer.end();
    assert.equal(await exit, 1);
  });
});
