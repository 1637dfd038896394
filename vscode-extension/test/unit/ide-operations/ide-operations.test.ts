import assert from "node:assert/strict";
import { ideOperationNames, RpcError, RequestFailure } from "@symposium-dev/core";
import { IdeOperations } from "../../../src/features/ide-operations/ide-operations.js";
import { FakeEditor, vsRange, vsUri } from "./fake-editor.js";

describe("IDE operations", () => {
  const nothing = { [Symbol.dispose]: () => undefined };
  const diagnostics = {
    all: () => [],
    of: () => [],
    check: () => Promise.resolve([]),
    onChanged: () => nothing,
    onEdited: () => nothing,
  };
  const window = { selection: () => undefined, openFiles: () => [] };
  const place = { uri: "file:///project/a.rs", position: { line: 0, character: 0 } };

  function ask(
    editor: FakeEditor,
    name: string,
    params: object,
    signal = new AbortController().signal,
  ): Promise<unknown> {
    const operations = new IdeOperations({ editor, window, diagnostics, edited: () => undefined });
    const request = operations.requests[`_symposium/ideOperations/${name}`];
    assert.ok(request);
    return request({ params: { workspace: "file:///project", ...params }, session: undefined, signal });
  }

  const failsWith = (error: RpcError) => (thrown: unknown) => {
    assert.ok(thrown instanceof RequestFailure);
    assert.deepEqual(thrown.error, error);
    return true;
  };

  it("are announced, except those for adapters", () => {
    const { capabilities } = new IdeOperations({
      editor: new FakeEditor(),
      window,
      diagnostics,
      edited: () => undefined,
    });
    const operations = ideOperationNames.filter((name) => name !== "setDocument" && name !== "prepareRename");
    assert.deepEqual(capabilities, { _meta: { "symposium/ideOperations": { version: 1, operations } } });
  });

  it("are answered by the editor's extensions", async () => {
    const editor = new FakeEditor({
      "vscode.executeDocumentSymbolProvider": () => [],
      "vscode.executeDefinitionProvider": () => [
        { targetUri: vsUri("/b.rs"), targetRange: vsRange(1, 0, 3), targetSelectionRange: vsRange(1, 0, 1) },
      ],
    });
    const range = (to: number): object => ({ start: { line: 1, character: 0 }, end: { line: 1, character: to } });
    assert.deepEqual(await ask(editor, "definition", place), {
      state: { kind: "ready" },
      items: [{ uri: "file:///b.rs", range: range(1), extent: range(3) }],
      total: 1,
    });
  });

  it("need a folder and the parameters of their contract", async () => {
    const editor = new FakeEditor();
    await assert.rejects(
      ask(editor, "definition", { ...place, workspace: "project" }),
      failsWith(RpcError.invalidParams('workspace: expected the URI of a folder, such as "file:///project".')),
    );
    await assert.rejects(
      ask(editor, "definition", { uri: place.uri }),
      failsWith(RpcError.invalidParams("position: expected an object.")),
    );
    assert.deepEqual(editor.asked, []);
  });

  it("end at once when they are given up, whatever an extension does", async () => {
    const aborter = new AbortController();
    const never = (): Promise<undefined> => {
      aborter.abort();
      return new Promise(() => undefined);
    };
    const editor = new FakeEditor({ "vscode.prepareCallHierarchy": never });
    await assert.rejects(ask(editor, "definition", place, aborter.signal), failsWith(RpcError.cancelled()));
  });

  it("fail with the extension's reason", async () => {
    const editor = new FakeEditor({
      "vscode.executeDocumentSymbolProvider": () => [],
      "vscode.executeHoverProvider": () => Promise.reject(new Error("broken")),
    });
    await assert.rejects(ask(editor, "hover", place), failsWith(RpcError.internal("broken")));
  });
});
