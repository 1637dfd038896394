import assert from "node:assert/strict";
import { Languages } from "../../../src/features/ide-operations/languages.js";
import { FakeEditor } from "./fake-editor.js";

const { signal } = new AbortController();
const ready = { kind: "ready" };
const quick = { startMs: 50, youngMs: 60_000, settleMs: 200, againMs: 1 };
const old = { ...quick, youngMs: 0 };
const served = { "vscode.executeDocumentSymbolProvider": () => [] };

describe("the readiness of a language", () => {
  const stateOf = async (editor: FakeEditor, times = quick): Promise<unknown> =>
    (await new Languages(editor, times).readiness(editor.document, signal)).state;
  const extension = (started: Promise<unknown> = Promise.resolve()): FakeEditor["extensions"][number] => ({
    name: "Rusty",
    started: () => started,
  });

  it("is ready where an extension answers", async () => {
    assert.deepEqual(await stateOf(new FakeEditor(served)), ready);
  });

  it("is degraded where nobody does, with what to install", async () => {
    const reason =
      'No installed VS Code extension supports the language "rust". Install the extension rust-lang.rust-analyzer.';
    assert.deepEqual(await stateOf(new FakeEditor()), { kind: "degraded", reason, isUnserved: true });
  });

  it("is degraded for good where nobody else may be asked", async () => {
    const editor = new FakeEditor();
    const { state } = await new Languages(editor, quick, () => false).readiness(editor.document, signal);
    assert.equal(state.kind === "degraded" && !("isUnserved" in state), true);
  });

  it("is loading while an extension starts", async () => {
    const editor = new FakeEditor(served);
    editor.extensions = [extension(new Promise(() => undefined))];
    assert.deepEqual(await stateOf(editor), { kind: "loading" });
  });

  it("is loading while an extension that is there does not answer, and degraded when it goes on so", async () => {
    const editor = new FakeEditor();
    editor.extensions = [extension()];
    const reason = "Rusty: installed in VS Code, but returned nothing for this document.";
    assert.deepEqual(
      [await stateOf(editor), await stateOf(editor, old)],
      [{ kind: "loading" }, { kind: "degraded", reason }],
    );
  });

  it("is loading while an extension holds a question back", async () => {
    const held = { "vscode.prepareCallHierarchy": () => new Promise<undefined>(() => undefined) };
    const editor = new FakeEditor({ ...served, ...held });
    assert.deepEqual(await stateOf(editor), { kind: "loading" });
  });

  it("is loading while VS Code's TypeScript has started and not yet registered itself", async () => {
    const outline = "vscode.executeDocumentSymbolProvider";
    const answers = [undefined, undefined, []];
    const editor = new FakeEditor({ [outline]: () => answers.shift() });
    editor.extensions = [extension()];
    const document = { ...editor.document, languageId: "typescript" };
    const { state } = await new Languages(editor, quick).readiness(document, signal);
    assert.deepEqual([state, editor.asked], [ready, [outline, outline, outline, "vscode.prepareCallHierarchy"]]);
    const silent = await new Languages(editor, quick).readiness({ ...document }, signal);
    assert.deepEqual(silent.state, { kind: "loading" });
  });

  describe("for an answer", () => {
    const answers = [[], ["a"], ["a", "b"], ["a", "b"]];
    const inTurn = (): (() => Promise<string[]>) => {
      let turn = 0;
      return () => Promise.resolve(answers[Math.min(turn++, answers.length - 1)] ?? []);
    };
    const editor = new FakeEditor(served);
    const question = { document: editor.document, signal };

    it("is ready with the first that is found", async () => {
      const answer = await new Languages(editor, quick).answer(question, inTurn());
      assert.deepEqual(answer, { items: ["a"], state: ready });
    });

    it("is ready with a whole list that stays the same", async () => {
      const answer = await new Languages(editor, quick).answer({ ...question, isWhole: true }, inTurn());
      assert.deepEqual(answer, { items: ["a", "b"], state: ready });
    });

    it("is loading where a new extension finds nothing", async () => {
      const answer = await new Languages(editor, quick).answer(question, () => Promise.resolve([]));
      assert.deepEqual(answer, { items: [], state: { kind: "loading" } });
    });

    it("is ready with nothing where the extension has long been there", async () => {
      const answer = await new Languages(editor, old).answer(question, inTurn());
      assert.deepEqual(answer, { items: [], state: ready });
    });

    it("is given up with the question", async () => {
      const aborter = new AbortController();
      const never = (): Promise<string[]> => {
        aborter.abort();
        return Promise.resolve([]);
      };
      const asked = new Languages(editor, quick).answer({ document: editor.document, signal: aborter.signal }, never);
      await assert.rejects(asked, { name: "AbortError" });
    });
  });

  it("of a folder does not suffer from languages that nobody serves", async () => {
    const editor: FakeEditor = new FakeEditor({
      "vscode.executeDocumentSymbolProvider": (uri) => (uri === editor.document.uri ? [] : undefined),
    });
    const languages = new Languages(editor, old);
    const python = { ...editor.documentAt("/project/a.py"), languageId: "python" };
    const both = await languages.folderState([python, editor.document], signal);
    const { kind } = await languages.folderState([python], signal);
    assert.deepEqual([both, kind], [ready, "degraded"]);
  });
});
