import assert from "node:assert/strict";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ApplyAnswer, WorkspaceChange } from "@symposium-dev/core";
import { fakeServer } from "../support/fake-server.js";
import { Stage } from "../support/stage.js";
import { useTestScope } from "../support/test-scope.js";

const files = { "a.txt": "one\r\ntwo 🦀 é\r\n", "b.txt": "b\n" };
const at = (line: number, start: number, end: number): { start: object; end: object } => ({
  start: { line, character: start },
  end: { line, character: end },
});

describe("applying an edit", () => {
  const scope = useTestScope();

  async function apply(stage: Stage, changes: readonly object[]): Promise<ApplyAnswer> {
    return stage.run("applyEdit", { edit: { changes: changes as WorkspaceChange[] }, label: "Test" });
  }

  async function open(): Promise<Stage> {
    return scope().use(await Stage.open({ files, settings: fakeServer("none") }));
  }

  async function contents(stage: Stage): Promise<Readonly<Record<string, string>>> {
    const names = (await readdir(stage.folder.path, { withFileTypes: true })).filter((entry) => entry.isFile());
    return Object.fromEntries(
      await Promise.all(
        names.map(async ({ name }) => [name, await readFile(join(stage.folder.path, name), "utf8")] as const),
      ),
    );
  }

  it("changes, creates, renames and deletes files in the order of its steps, and keeps line endings", async () => {
    const stage = await open();
    const answer = await apply(stage, [
      {
        kind: "edit",
        uri: stage.uri("a.txt"),
        edits: [
          { range: at(1, 7, 8), newText: "ü" },
          { range: at(0, 0, 3), newText: "1" },
        ],
      },
      { kind: "create", uri: stage.uri("c.txt") },
      { kind: "edit", uri: stage.uri("c.txt"), edits: [{ range: at(0, 0, 0), newText: "c\n" }] },
      { kind: "rename", from: stage.uri("a.txt"), to: stage.uri("d.txt") },
      { kind: "delete", uri: stage.uri("b.txt") },
    ]);
    assert.deepEqual(
      { answer, files: await contents(stage) },
      {
        answer: { state: { kind: "ready" }, isApplied: true },
        files: { "c.txt": "c\n", "d.txt": "1\r\ntwo 🦀 ü\r\n" },
      },
    );
  });

  it("changes nothing when one of its steps cannot be done", async () => {
    const stage = await open();
    const { isApplied, refusal } = await apply(stage, [
      { kind: "edit", uri: stage.uri("a.txt"), edits: [{ range: at(0, 0, 3), newText: "1" }] },
      { kind: "edit", uri: stage.uri("missing.txt"), edits: [] },
    ]);
    const reason = `${join(stage.folder.path, "missing.txt")} doesn't exist or isn't UTF-8 text.`;
    assert.deepEqual(
      { isApplied, refusal, files: await contents(stage) },
      { isApplied: false, refusal: reason, files },
    );
  });

  it("refuses files that make tools run programs, also as what a file is renamed to or behind a link", async () => {
    const stage = await open();
    await symlink(join(stage.folder.path, ".git"), join(stage.folder.path, "data"));
    const steps = [
      { kind: "create", uri: stage.uri(".vscode/tasks.json") },
      { kind: "rename", from: stage.uri("a.txt"), to: stage.uri(".envrc") },
      { kind: "create", uri: stage.uri("data/config") },
      { kind: "delete", uri: stage.uri("rust-toolchain.toml") },
    ];
    for (const step of steps) {
      const { isApplied, refusal } = await apply(stage, [step]);
      assert.equal(isApplied, false);
      assert.match(refusal ?? "", /Tools can't edit .*: it (?:may|belongs|decides)/);
    }
    assert.deepEqual(await contents(stage), files);
  });

  it("puts back what was written when a later file cannot be", async () => {
    const stage = await open();
    await mkdir(join(stage.folder.path, "sub"));
    // A file where a folder is needed.
    const { isApplied, refusal } = await apply(stage, [
      { kind: "edit", uri: stage.uri("a.txt"), edits: [{ range: at(0, 0, 3), newText: "1" }] },
      { kind: "create", uri: stage.uri("b.txt/inner.txt") },
    ]);
    assert.deepEqual({ isApplied, files: await contents(stage) }, { isApplied: false, files });
    assert.match(refusal ?? "", /inner\.txt could not be written .*Nothing was changed\.$/);
  });

  it("refuses edits that overlap", async () => {
    const stage = await open();
    const edits = [
      { range: at(0, 0, 2), newText: "x" },
      { range: at(0, 1, 3), newText: "y" },
    ];
    const { refusal } = await apply(stage, [{ kind: "edit", uri: stage.uri("a.txt"), edits }]);
    assert.equal(refusal, `The edits of ${join(stage.folder.path, "a.txt")} overlap or don't match its text.`);
  });

  it("stays in the workspace, also where a link leads out of it", async () => {
    const stage = await open();
    const outside = dirname(stage.folder.path);
    await symlink(outside, join(stage.folder.path, "link"));
    const uris = [stage.uri("../out.txt"), stage.uri("link/out.txt")];
    const refusals = await Promise.all(
      uris.map(async (uri) => (await apply(stage, [{ kind: "create", uri }])).refusal),
    );
    assert.deepEqual(refusals, [
      `Tools can't edit ${join(outside, "out.txt")}: it isn't a file in the workspace.`,
      `Tools can't edit ${join(stage.folder.path, "link", "out.txt")}: it isn't a file in the workspace.`,
    ]);
  });

  it("refuses a file that has unsaved text", async () => {
    const stage = await open();
    const uri = stage.uri("a.txt");
    await stage.run("setDocument", { uri, text: "typed" });
    const { refusal } = await apply(stage, [{ kind: "edit", uri, edits: [] }]);
    assert.equal(refusal, `${join(stage.folder.path, "a.txt")} has unsaved changes. Save it first.`);
  });
});
