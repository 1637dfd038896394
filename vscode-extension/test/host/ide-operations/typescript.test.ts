import assert from "node:assert/strict";
import type { WorkspaceEdit } from "@symposium-dev/core";
import * as vscode from "vscode";
import { eventually } from "../eventually.js";
import { IdeProject } from "./ide-project.js";

const shape = `export interface Shape {
  area(): number;
}
export class Circle implements Shape {
  constructor(readonly radius: number) {}
  /** In square metres. */
  area(): number {
    return this.radius * this.radius;
  }
}
`;
const main = `import { Circle } from "./shape.js";
const face = "😀"; const circle = new Circle(2);
export function total(): number {
  return circle.area();
}
`;
const ready = { kind: "ready" };

describe("IDE operations by VS Code's TypeScript", () => {
  let project: IdeProject;

  before(async function () {
    this.timeout(180_000);
    project = await IdeProject.create({
      "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, module: "nodenext" }, include: ["src"] }),
      "src/shape.ts": shape,
      "src/main.ts": main,
    });
    // The state isn't ready until the server has read the project, which may take long.
    await eventually(async () => {
      const { state } = await project.ask("definition", await project.at("src/main.ts", "Circle"));
      assert.deepEqual(state, ready);
    }, 150_000);
  });
  after(() => project[Symbol.asyncDispose]());

  const shown = (places: readonly Parameters<IdeProject["shown"]>[0][]): Promise<string[]> =>
    Promise.all(places.map((place) => project.shown(place)));

  it("finds the definition in another file, behind characters of two code units", async () => {
    const { state, items, total } = await project.ask("definition", await project.at("src/main.ts", "Circle(2)"));
    assert.deepEqual([state, total], [ready, 2]);
    assert.deepEqual(await shown(items), [
      "src/shape.ts 3:13 Circle",
      "src/shape.ts 4:2 constructor(readonly radius: number) {}",
    ]);
  });

  it("finds uses with and without the declaration", async () => {
    const place = await project.at("src/shape.ts", "area(): number {");
    const uses = await project.ask("references", { ...place, includeDeclaration: false });
    assert.deepEqual(
      [uses.state, await shown(uses.items)],
      [ready, ["src/main.ts 3:16 area", "src/shape.ts 1:2 area"]],
    );
    const all = await project.ask("references", { ...place, includeDeclaration: true });
    assert.deepEqual(await shown(all.items), [
      "src/main.ts 3:16 area",
      "src/shape.ts 1:2 area",
      "src/shape.ts 6:2 area",
    ]);
  });

  it("gives the part of a list that is asked for", async () => {
    const place = await project.at("src/shape.ts", "area(): number {");
    const part = await project.ask("references", { ...place, includeDeclaration: true, offset: 1, limit: 1 });
    assert.deepEqual([part.total, await shown(part.items)], [3, ["src/shape.ts 1:2 area"]]);
  });

  it("finds implementations", async () => {
    const { items } = await project.ask("implementations", await project.at("src/shape.ts", "Shape"));
    assert.deepEqual(await shown(items), ["src/shape.ts 3:13 Circle"]);
  });

  it("has the outline of a document, parents before children", async () => {
    const { items } = await project.ask("documentSymbols", { uri: project.uri("src/shape.ts") });
    assert.deepEqual(
      items.map(({ name, kind, depth, container }) => [name, kind, depth, container]),
      [
        ["Shape", "interface", 0, undefined],
        ["area", "method", 1, "Shape"],
        ["Circle", "class", 0, undefined],
        ["constructor", "constructor", 1, "Circle"],
        ["area", "method", 1, "Circle"],
        ["radius", "property", 1, "Circle"],
      ],
    );
  });

  it("finds symbols of the workspace, and where their name stands", async () => {
    const { state, items } = await project.ask("workspaceSymbols", { query: "circle" });
    const found = items.map(({ name, kind }) => `${name} ${kind}`);
    const places = await shown(items.map(({ uri, selectionRange }) => ({ uri, range: selectionRange })));
    assert.deepEqual(
      [state, found, places],
      [ready, ["circle variable", "Circle class"], ["src/main.ts 1:25 circle", "src/shape.ts 3:13 Circle"]],
    );
  });

  it("tells types and documentation", async () => {
    const { text } = await project.ask("hover", await project.at("src/main.ts", "area"));
    assert.match(text ?? "", /\(method\) Circle\.area\(\): number[^]*In square metres\./);
  });

  it("follows calls in both directions", async () => {
    const callers = await project.ask("incomingCalls", await project.at("src/shape.ts", "area(): number {"));
    assert.deepEqual(
      callers.items.map(({ symbol, ranges }) => [symbol.name, symbol.uri, ranges.map(({ start }) => start)]),
      [["total", project.uri("src/main.ts"), [{ line: 3, character: 16 }]]],
    );
    const callees = await project.ask("outgoingCalls", await project.at("src/main.ts", "total"));
    assert.deepEqual(
      callees.items.map(({ symbol }) => [symbol.name, symbol.kind, symbol.uri]),
      [["area", "method", project.uri("src/shape.ts")]],
    );
  });

  it("knows the faults of a document that nobody looks at, and of what was just typed in it", async () => {
    await project.write("src/new.ts", 'export const size: number = "big";\n');
    const uri = project.uri("src/new.ts");
    const { state, files, cursor } = await project.ask("diagnostics", { uri });
    const message = "Type 'string' is not assignable to type 'number'.";
    const range = { start: { line: 0, character: 13 }, end: { line: 0, character: 17 } };
    const fault = { range, severity: "error", message, code: "2322", source: "ts" };
    assert.deepEqual([state, files], [ready, [{ uri, diagnostics: [fault] }]]);
    assert.deepEqual((await project.ask("diagnostics", { since: cursor })).files, []);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(vscode.Uri.file(project.path("src/new.ts")), new vscode.Range(0, 28, 0, 33), "1");
    await vscode.workspace.applyEdit(edit);
    assert.deepEqual((await project.ask("diagnostics", { since: cursor })).files, [{ uri, diagnostics: [] }]);
    await vscode.workspace.saveAll();
  });

  it("offers code actions and the edit of each", async () => {
    await project.write("src/unused.ts", 'import { Circle } from "./shape.js";\nexport const one = 1;\n');
    const uri = project.uri("src/unused.ts");
    const range = { start: { line: 0, character: 9 }, end: { line: 0, character: 9 } };
    const { items } = await project.ask("codeActions", { uri, range, only: ["source.organizeImports"] });
    const [organize] = items;
    assert.deepEqual([organize?.title, organize?.kind], ["Organize Imports", "source.organizeImports"]);
    const { edit, refusal } = await project.ask("resolveCodeAction", { id: organize?.id ?? "" });
    assert.deepEqual([refusal, textsOf(edit)], [undefined, [""]]);
  });

  it("does not offer what only moves the user's focus", async () => {
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 20 } };
    const { items } = await project.ask("codeActions", { uri: project.uri("src/main.ts"), range });
    assert.deepEqual(
      items.map(({ title }) => title).filter((title) => title.includes("Symposium")),
      [],
    );
  });

  it("shows what the formatter would change", async () => {
    await project.write("src/ugly.ts", "export   const a=1\n");
    const { edits } = await project.ask("format", { uri: project.uri("src/ugly.ts") });
    assert.deepEqual(
      edits.map(({ newText }) => newText),
      ["", " ", " "],
    );
    assert.equal(await project.read("src/ugly.ts"), "export   const a=1\n");
  });

  it("previews a rename, makes it, and leaves it saved and reported", async () => {
    const { state, edit } = await project.ask("rename", {
      ...(await project.at("src/shape.ts", "area(): number {")),
      newName: "surface",
    });
    assert.deepEqual([state, textsOf(edit)], [ready, ["surface", "surface", "surface"]]);
    assert.equal(await project.read("src/shape.ts"), shape);
    const applied = await project.ask("applyEdit", { edit: edit ?? { changes: [] }, label: "Rename" });
    const renamed = { main: main.replace("area", "surface"), shape: shape.replaceAll("area(", "surface(") };
    assert.deepEqual(
      [applied.isApplied, await project.read("src/main.ts"), await project.read("src/shape.ts")],
      [true, renamed.main, renamed.shape],
    );
    const byPath = [...project.edited].sort((a, b) => (a.path < b.path ? -1 : 1));
    assert.deepEqual(byPath, [
      { path: project.path("src/main.ts"), before: main, after: renamed.main },
      { path: project.path("src/shape.ts"), before: shape, after: renamed.shape },
    ]);
  });

  it("says in the extension's words why something cannot be renamed", async () => {
    const { edit, refusal } = await project.ask("rename", {
      ...(await project.at("src/main.ts", "number")),
      newName: "text",
    });
    assert.deepEqual([edit, refusal], [null, "You cannot rename this element."]);
  });

  it("goes by what was written to disk a moment ago", async () => {
    const place = await project.at("src/main.ts", "face");
    await project.write("src/main.ts", `\n\n${await project.read("src/main.ts")}`);
    const { items } = await project.ask("definition", { ...place, position: { line: 3, character: 6 } });
    assert.deepEqual(await shown(items), ["src/main.ts 3:6 face"]);
  });
});

function textsOf(edit: WorkspaceEdit | null): string[] {
  return (edit?.changes ?? []).flatMap((change) => (change.kind === "edit" ? change.edits.map((e) => e.newText) : []));
}
