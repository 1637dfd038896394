import assert from "node:assert/strict";
import { checkLanguages } from "../../../src/app/cli/doctor/language-check.js";
import { folderWith } from "../../agents/recommendations/workspace-fixture.js";

describe("the languages that doctor finds", () => {
  const textsOf = async (path: string): Promise<readonly string[]> =>
    (await checkLanguages(path)).map(({ check, status, text }) => `${check} ${status}: ${text.replace(path, "~")}`);

  it("are those of the manifests in and below a folder, but not of what is fetched", async () => {
    await using folder = await folderWith({
      "web/package.json": "{}",
      "web/tsconfig.json": "{}",
      "web/node_modules/x/go.mod": "",
      "services/api/requirements-dev.txt": "",
      "backend/Cargo.toml": "",
    });
    assert.deepEqual(await textsOf(folder.path), [
      "languages ok: Rust (Cargo.toml), TypeScript (tsconfig.json), JavaScript (package.json), Python (requirements-dev.txt)",
    ]);
  });

  it("say which tools have nothing to do", async () => {
    await using folder = await folderWith({ "go.mod": "" });
    const silent = "Ferris and Cargo provide no tools here, because there is no Cargo.toml";
    assert.deepEqual(await textsOf(folder.path), [`languages ok: Go (go.mod). ${silent}`]);
    await using empty = await folderWith({});
    const none = "none found in ~: it has no package.json, pyproject.toml, go.mod, pom.xml or the like";
    assert.deepEqual(await textsOf(empty.path), [`languages ok: ${none}. ${silent}`]);
  });
});
