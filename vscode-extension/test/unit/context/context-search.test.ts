import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileUri } from "@symposium-dev/core";
import type { Attachment } from "../../../protocol/index.js";
import { ContextSearch, type EditorContext } from "../../../src/features/context/context-search.js";
import { FileIndex } from "../../../src/features/context/file-index.js";

describe("the search for context", () => {
  let folder: string;
  let editor: EditorContext;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "search-")));
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "src/alpha.ts"), "");
    editor = {
      selection: () => undefined,
      openFiles: () => [],
      symbols: () => Promise.resolve([]),
      problemCount: () => 0,
      terminal: () => undefined,
    };
  });
  afterEach(() => rm(folder, { recursive: true }));

  const attachments = async (text: string): Promise<Attachment[]> => {
    const search = new ContextSearch(editor, (root) => new FileIndex(root));
    return (await search.find(text, [folder])).results.map(({ attachment }) => attachment);
  };

  it("offers what is at hand before anything is typed", async () => {
    const uri = fileUri(join(folder, "src/alpha.ts"));
    const selection = { type: "selection", uri, label: "alpha.ts:1", startLine: 1, endLine: 1, text: "x" } as const;
    editor = {
      ...editor,
      selection: () => selection,
      openFiles: () => [join(folder, "src/alpha.ts")],
      problemCount: (path) => (path === undefined ? 3 : 1),
      terminal: () => ({ label: "npm test", text: "$ npm test\nok" }),
    };
    assert.deepEqual(await attachments(""), [
      selection,
      { type: "problems", label: "Problems in alpha.ts", uri },
      { type: "problems", label: "Problems" },
      { type: "terminal", label: "npm test", text: "$ npm test\nok" },
      { type: "git-diff", label: "Changes" },
      { type: "file", uri, label: "alpha.ts" },
    ]);
  });

  it("offers the files of the folder before anything is typed, after the open ones, hidden ones last", async () => {
    for (const name of [".hidden", "b.md", "src/beta.ts"]) await writeFile(join(folder, name), "");
    editor = { ...editor, openFiles: () => [join(folder, "src/alpha.ts")] };
    const files = (await attachments("")).filter(({ type }) => type === "file");
    assert.deepEqual(
      files.map(({ label }) => label),
      ["alpha.ts", "b.md", "beta.ts", ".hidden"],
    );
  });

  it("offers each symbol once, and none of another folder such as a removed worktree", async () => {
    const at = (path: string, startLine: number, endLine: number) => ({
      ...{ name: "beta", containerName: "", icon: "symbol-method", path, startLine, endLine },
    });
    const path = join(folder, "src/alpha.ts");
    const found = [at(path, 2, 9), at(path, 4, 9), at(path, 20, 21), at(`${folder}.worktrees/fix/src/alpha.ts`, 2, 9)];
    editor = { ...editor, symbols: () => Promise.resolve(found) };
    const lines = (await attachments("beta")).map((one) =>
      one.type === "symbol" ? [one.startLine, one.endLine] : one,
    );
    assert.deepEqual(lines, [
      [2, 9],
      [20, 21],
    ]);
  });

  it("finds them by the beginning of their names", async () => {
    editor = { ...editor, problemCount: () => 1 };
    assert.deepEqual(await attachments("prob"), [{ type: "problems", label: "Problems" }]);
    assert.deepEqual(await attachments("git"), [{ type: "git-diff", label: "Changes" }]);
  });

  it("finds files and folders, with their place where the name does not say it", async () => {
    const search = new ContextSearch(editor, (root) => new FileIndex(root));
    assert.deepEqual(await search.find("alpha", [folder]), {
      results: [
        {
          attachment: { type: "file", uri: fileUri(join(folder, "src/alpha.ts")), label: "alpha.ts" },
          icon: "file",
          detail: join("src", "alpha.ts"),
        },
      ],
    });
    assert.deepEqual(await attachments("src"), [
      { type: "folder", uri: fileUri(join(folder, "src")), label: "src" },
      { type: "file", uri: fileUri(join(folder, "src/alpha.ts")), label: "alpha.ts" },
    ]);
  });

  it("takes lines of a file", async () => {
    const uri = fileUri(join(folder, "src/alpha.ts"));
    assert.deepEqual(
      [await attachments("alpha:7"), await attachments("alpha:3-9")],
      [
        [{ type: "symbol", uri, label: "alpha.ts:7", startLine: 7, endLine: 7 }],
        [{ type: "symbol", uri, label: "alpha.ts:3-9", startLine: 3, endLine: 9 }],
      ],
    );
  });

  it("shows symbols after files, and does without those that come late or fail", async () => {
    const path = join(folder, "src/alpha.ts");
    const found = { name: "beta", containerName: "Alpha", icon: "symbol-method", path, startLine: 2, endLine: 4 };
    editor = { ...editor, symbols: () => Promise.resolve([found]) };
    assert.deepEqual(await attachments("beta"), [
      { type: "symbol", uri: fileUri(path), label: "beta", startLine: 2, endLine: 4 },
    ]);
    editor = { ...editor, symbols: () => new Promise(() => undefined) };
    assert.deepEqual(await attachments("beta"), []);
    editor = { ...editor, symbols: () => Promise.reject(new Error("no language server")) };
    assert.deepEqual(await attachments("beta"), []);
  });

  it("says which folder is not searched as a whole", async () => {
    await writeFile(join(folder, "b"), "");
    const index = new FileIndex(folder, 1);
    const search = new ContextSearch(editor, () => index);
    assert.equal(
      (await search.find("b", [folder])).note,
      `Some files in ${basename(folder)} aren't searched because there are too many.`,
    );
  });
});
