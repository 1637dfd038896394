import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { shippedFile } from "../../../src/node/recommendations/shipped-file.js";
import { folderWith } from "./workspace-fixture.js";

describe("shippedFile", () => {
  const cases = [
    ["finds it in the folder of the package", ["p/recommendations.toml", "p/package.json"], "p/recommendations.toml"],
    ["does not look above the package", ["recommendations.toml", "p/package.json"], "p/dist/bin/recommendations.toml"],
    ["takes the nearest", ["p/recommendations.toml", "p/dist/recommendations.toml"], "p/dist/recommendations.toml"],
  ] as const;
  for (const [behaviour, files, expected] of cases) {
    it(behaviour, async () => {
      await using folder = await folderWith(Object.fromEntries(files.map((file) => [file, ""])));
      const module = pathToFileURL(join(folder.path, "p", "dist", "bin", "chunk.mjs")).href;
      assert.equal(shippedFile(module), join(folder.path, ...expected.split("/")));
    });
  }

  it("does not take the user's file where the product is installed in the user's folder", async () => {
    await using folder = await folderWith({ "recommendations.toml": "" });
    const module = join(folder.path, "bin", "symposium", "1.0.0", "bin", "chunks", "chunk.mjs");
    assert.notEqual(shippedFile(pathToFileURL(module).href), join(folder.path, "recommendations.toml"));
  });
});
