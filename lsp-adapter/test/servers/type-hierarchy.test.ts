import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { PositionParams } from "@symposium-dev/core";
import { positionOf } from "../support/folders.js";
import { useServer } from "../support/installed-servers.js";
import { patient, Stage } from "../support/stage.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";

const text = `struct Shape { virtual double area() = 0; };
struct Disc : Shape { double area() override { return 3; } };
struct Ring : Disc {};
`;

describe("a type hierarchy over clangd", function () {
  this.timeout(300_000);
  const pathFor = useServer("clangd");
  const scope = useTestScope();

  it("is what a type is made from, and what is made from it", async function () {
    const files = { "compile_flags.txt": "-xc++\n", "shapes.cpp": text };
    const stage = scope().use(await Stage.open({ files, path: pathFor(this), settings: patient }));
    const at = (part: string): PositionParams => ({ uri: stage.uri("shapes.cpp"), position: positionOf(text, part) });
    const { above, lacking } = await stage.run("supertypes", at("Disc :")).then(
      (answer) => ({ above: answer, lacking: undefined }),
      (error: unknown) => ({ above: undefined, lacking: String(error) }),
    );
    if (above === undefined) {
      assert.match(lacking, /clangd \d+\.[\d.]+ doesn't support type hierarchies/);
      return skipBecause(this, lacking);
    }
    const below = await stage.run("subtypes", at("Disc :"));
    assert.deepEqual(
      [above, below].map(({ items }) =>
        items.map(({ name, kind, selectionRange }) => [name, kind, selectionRange.start]),
      ),
      [[["Shape", "struct", positionOf(text, "Shape {")]], [["Ring", "struct", positionOf(text, "Ring :")]]],
    );
  });

  it("is refused in the name of clangd 14, Debian's own, which says that it has one", async function () {
    if (process.platform === "win32" || spawnSync("clangd-14", ["--version"]).error)
      skipBecause(this, "clangd-14 is not installed");
    const files = { "compile_flags.txt": "-xc++\n", "shapes.cpp": text };
    const languageServers = { clangd: { command: "clangd-14", args: ["--log=error"], languages: { cpp: [".cpp"] } } };
    const stage = scope().use(await Stage.open({ files, settings: { ...patient, languageServers } }));
    const at = { uri: stage.uri("shapes.cpp"), position: positionOf(text, "Disc :") };
    await assert.rejects(stage.run("supertypes", at), {
      message: /^clangd 14\.0\.\d+ doesn't support type hierarchies \(textDocument\/prepareTypeHierarchy\)\.$/,
    });
    assert.match((await stage.run("hover", at)).text ?? "", /Disc/);
  });
});
