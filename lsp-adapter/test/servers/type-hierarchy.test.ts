import assert from "node:assert/strict";
import type { PositionParams } from "@symposium-dev/core";
import { positionOf } from "../support/folders.js";
import { useServer } from "../support/installed-servers.js";
import { patient, Stage } from "../support/stage.js";
import { useTestScope } from "../support/test-scope.js";

const text = `struct Shape { virtual double area() = 0; };
struct Disc : Shape { double area() override { return 3; } };
struct Ring : Disc {};
`;

describe("a type hierarchy over clangd", function () {
  this.timeout(90_000);
  const pathFor = useServer("clangd");
  const scope = useTestScope();

  it("is what a type is made from, and what is made from it", async function () {
    const files = { "compile_flags.txt": "-xc++\n", "shapes.cpp": text };
    const stage = scope().use(await Stage.open({ files, path: pathFor(this), settings: patient }));
    const at = (part: string): PositionParams => ({ uri: stage.uri("shapes.cpp"), position: positionOf(text, part) });
    const above = await stage.run("supertypes", at("Disc :"));
    const below = await stage.run("subtypes", at("Disc :"));
    assert.deepEqual(
      [above, below].map(({ items }) =>
        items.map(({ name, kind, selectionRange }) => [name, kind, selectionRange.start]),
      ),
      [[["Shape", "struct", positionOf(text, "Shape {")]], [["Ring", "struct", positionOf(text, "Ring :")]]],
    );
  });
});
