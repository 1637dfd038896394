import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileUri, type IdeResult } from "@symposium-dev/core";
import { applyOperations, type EditedFile } from "../../../src/features/ide-operations/workspace-edits.js";
import { Languages } from "../../../src/features/ide-operations/languages.js";
import { FakeEditor } from "./fake-editor.js";

const { signal } = new AbortController();

describe("an edit that is applied", () => {
  let folder: string;
  let editor: FakeEditor;
  let edited: EditedFile[];
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "applied-")));
    await writeFile(join(folder, "a.rs"), "old");
    editor = new FakeEditor();
    edited = [];
  });
  afterEach(() => rm(folder, { recursive: true }));

  function apply(...paths: string[]): Promise<IdeResult<"applyEdit">> {
    const { applyEdit } = applyOperations({ folder, editor, languages: new Languages(editor) }, (file) =>
      edited.push(file),
    );
    const start = { line: 0, character: 0 };
    const edits = [{ range: { start, end: start }, newText: "new" }];
    const changes = paths.map((path) => ({ kind: "edit", uri: fileUri(path), edits }) as const);
    return applyEdit({ edit: { changes }, label: "Test" }, signal);
  }

  it("is reported with what was there before", async () => {
    const [one, two] = [join(folder, "a.rs"), join(folder, "b.rs")];
    assert.deepEqual(await apply(one, two), { state: { kind: "ready" }, isApplied: true });
    assert.deepEqual(edited, [
      { folder, path: one, before: "old", after: "new" },
      { folder, path: two, before: null, after: "new" },
    ]);
  });

  it("is refused as a whole where one file is outside, behind a link, or holds settings", async () => {
    await symlink(tmpdir(), join(folder, "link"));
    await mkdir(join(folder, ".git"));
    for (const foreign of ["/elsewhere.rs", join(folder, "link", "b.rs"), join(folder, ".git", "config")]) {
      const { isApplied, refusal } = await apply(join(folder, "a.rs"), foreign);
      assert.deepEqual([isApplied, refusal], [false, `Tools can't edit ${fileUri(foreign)}.`]);
    }
    assert.deepEqual([await readFile(join(folder, "a.rs"), "utf8"), edited], ["old", []]);
  });

  it("is reported by nobody where the editor refuses", async () => {
    editor.applies = false;
    const { isApplied, refusal } = await apply(join(folder, "a.rs"));
    assert.deepEqual([isApplied, refusal, edited], [false, "VS Code refused the edit.", []]);
  });
});
