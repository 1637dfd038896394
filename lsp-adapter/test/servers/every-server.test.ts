import assert from "node:assert/strict";
import { comparePositions, type WorkspaceEdit } from "@symposium-dev/core";
import { positionOf } from "../support/folders.js";
import { type ServerName, useServer } from "../support/installed-servers.js";
import * as projects from "../support/projects.js";
import type { Project } from "../support/projects.js";
import { patient, processesNaming, processesOf, Stage } from "../support/stage.js";

const servers: readonly { readonly server: ServerName; readonly project: Project }[] = [
  { server: "rust-analyzer", project: projects.rust },
  { server: "typescript 7", project: projects.typescript },
  { server: "typescript-language-server", project: withTypeScript6(projects.typescript) },
  { server: "pyright", project: projects.python },
  { server: "gopls", project: projects.go },
  { server: "clangd", project: projects.cpp },
];

/** Makes it look installed, which decides about the server; nothing of it is run. */
function withTypeScript6(project: Project): Project {
  return { ...project, files: { ...project.files, "node_modules/typescript/package.json": '{ "version": "6.0.3" }' } };
}

for (const { server, project } of servers) {
  describe(`IDE operations over ${server}`, function () {
    this.timeout(300_000);
    const pathFor = useServer(server);
    const { files, usedIn, declaredIn, name, uses } = project;
    const usedText = files[usedIn] ?? "";
    const declaredText = files[declaredIn] ?? "";
    const declaration = positionOf(declaredText, `${name}(`);
    let opened: Stage | undefined;

    /** The one that all of these tests share, as sessions do. */
    async function stageFor(context: Mocha.Context): Promise<Stage> {
      const path = pathFor(context);
      opened ??= await Stage.open({ files, folderName: "with space é", path, settings: patient });
      return opened;
    }

    afterEach(() => opened?.folder.write(declaredIn, declaredText));
    after(() => opened?.[Symbol.asyncDispose]());

    it("find every reference of a workspace of which nothing was opened before, and the same edits for a rename", async function () {
      const stage = await stageFor(this);
      // Some servers find uses in other files only if one of those files is open.
      await stage.run("documentSymbols", { uri: stage.uri(usedIn) });
      const at = { uri: stage.uri(declaredIn), position: declaration };
      const references = await stage.run("references", { ...at, includeDeclaration: true });
      const renamed = await stage.run("rename", { ...at, newName: "renamed" });
      const places = references.items.map(({ uri, range }) => `${uri} ${range.start.line}:${range.start.character}`);
      assert.deepEqual(
        { state: references.state, count: places.length, edits: placesOf(renamed.edit) },
        { state: { kind: "ready" }, count: uses + 1, edits: places },
      );
    });

    it("find a definition after an emoji on the same line, in a folder with a space", async function () {
      const stage = await stageFor(this);
      const line = usedText.slice(0, usedText.indexOf("🦀")).split("\n").length - 1;
      const character = usedText.split("\n")[line]?.indexOf(name) ?? -1;
      const { state, items, total } = await stage.run("definition", {
        uri: stage.uri(usedIn),
        position: { line, character },
      });
      const places = items.map(({ uri, range }) => ({ uri, start: range.start }));
      assert.deepEqual({ places, total }, { places: [{ uri: stage.uri(declaredIn), start: declaration }], total: 1 });
      assert.notEqual(state.kind, "degraded");
    });

    it("see an edit on disk in the very next answer", async function () {
      const stage = await stageFor(this);
      const uri = stage.uri(usedIn);
      const definition = async (text: string): Promise<readonly string[]> => {
        const position = positionOf(text, `${name}(`);
        const { items } = await stage.run("definition", { uri, position });
        return items.map(({ range }) => `${range.start.line}:${range.start.character}`);
      };
      const before = await definition(usedText);
      const answers: (readonly string[])[] = [];
      for (let lines = 1; lines <= 4; lines++) {
        await stage.folder.write(declaredIn, shifted(declaredText, lines));
        answers.push(await definition(usedText));
      }
      const expected = (lines: number): string => `${declaration.line + lines}:${declaration.character}`;
      assert.deepEqual(
        { before, answers },
        { before: [expected(0)], answers: [1, 2, 3, 4].map((lines) => [expected(lines)]) },
      );
    });

    it("outline a document and find a symbol by a part of its name", async function () {
      const stage = await stageFor(this);
      const outline = await stage.run("documentSymbols", { uri: stage.uri(declaredIn) });
      const found = await stage.run("workspaceSymbols", { query: name.slice(0, -2) });
      const ours = found.items.filter((symbol) => symbol.name === name);
      assert.deepEqual(
        {
          outline: outline.items.filter(({ depth }) => depth === 0).map((symbol) => symbol.name),
          symbols: ours.map(({ uri, selectionRange, kind }) => ({ uri, start: selectionRange.start, kind })),
        },
        { outline: ["Square", name], symbols: [{ uri: stage.uri(declaredIn), start: declaration, kind: "function" }] },
      );
    });

    it("report an error after an edit and none when it is mended, and only what has changed since", async function () {
      const stage = await stageFor(this);
      const uri = stage.uri(declaredIn);
      const errors = async (since?: string): Promise<{ cursor: string; found: unknown }> => {
        const {
          files: checked,
          pending,
          cursor,
        } = await stage.run("diagnostics", { uri, ...(since !== undefined && { since }) });
        const found = checked.map(
          ({ diagnostics }) => diagnostics.filter(({ severity }) => severity === "error").length > 0,
        );
        return { cursor, found: { found, pending } };
      };
      const clean = await errors();
      await stage.folder.write(declaredIn, declaredText.replace(...project.mistake));
      const broken = await errors(clean.cursor);
      const unchanged = await errors(broken.cursor);
      await stage.folder.write(declaredIn, declaredText);
      const mended = await errors(broken.cursor);
      assert.deepEqual(
        [clean.found, broken.found, unchanged.found, mended.found],
        [
          { found: [false], pending: [] },
          { found: [true], pending: [] },
          { found: [], pending: [] },
          { found: [false], pending: [] },
        ],
      );
    });

    it("leave no process of theirs, also when the server was killed", async function () {
      const stage = await stageFor(this);
      await stage.run("documentSymbols", { uri: stage.uri(usedIn) });
      const leader = stage.serverPid;
      const members = await processesOf(leader);
      process.kill(leader, "SIGKILL");
      const again = await stage.run("documentSymbols", { uri: stage.uri(usedIn) });
      const second = stage.serverPid;
      await stage[Symbol.asyncDispose]();
      opened = undefined;
      const alive = (await Promise.all([...members, second].map(processesOf))).flat();
      assert.deepEqual(
        { answered: again.total > 0, alive, named: processesNaming(stage.folder.path) },
        { answered: true, alive: [], named: [] },
      );
    });
  });
}

/** The same text some lines further down. */
function shifted(text: string, lines: number): string {
  const [first = "", ...rest] = text.split("\n");
  const isLeading = /^(?:package|#pragma)/.test(first);
  return isLeading ? [first, ..."\n".repeat(lines - 1).split("\n"), ...rest].join("\n") : "\n".repeat(lines) + text;
}

function placesOf(edit: WorkspaceEdit | null): readonly string[] {
  const places = (edit?.changes ?? []).flatMap((change) =>
    change.kind === "edit" ? change.edits.map(({ range }) => ({ uri: change.uri, start: range.start })) : [],
  );
  places.sort((a, b) => (a.uri === b.uri ? comparePositions(a.start, b.start) : a.uri < b.uri ? -1 : 1));
  return places.map(({ uri, start }) => `${uri} ${start.line}:${start.character}`);
}
