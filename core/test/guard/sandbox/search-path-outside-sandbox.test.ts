import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { outerPath } from "../../../src/guard/node/sandbox/search-path-outside-sandbox.js";

describe("the PATH outside of sandboxes", () => {
  let folder = "";
  beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), "outer-")))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it("has no folder in which an agent writes, by whatever name, and none that depends on where one is", () => {
    const [root, beside] = [join(folder, "project"), join(folder, "project-tools")];
    for (const made of [join(root, ".venv/bin"), beside]) mkdirSync(made, { recursive: true });
    symlinkSync(root, join(folder, "link"));
    const inside = [join(root, ".venv/bin"), join(folder, "link", ".venv/bin"), join(root, "later/bin"), root];
    const path = ["/usr/bin", ...inside, "", ".", "bin", beside].join(":");
    assert.equal(outerPath(path, [join(folder, "link")], join(folder, "config")), `/usr/bin:${beside}`);
  });

  it("is the system's where nothing is left", () => {
    for (const path of ["", "bin", folder]) assert.equal(outerPath(path, [folder], "/config"), "/usr/bin:/bin");
  });

  it("is whole where no sandbox can be open", () => {
    for (const root of ["/", homedir(), "/usr", join(folder, "missing")])
      assert.equal(outerPath(`/usr/bin:${homedir()}/bin`, [root], join(folder, "config")), `/usr/bin:${homedir()}/bin`);
  });
});
