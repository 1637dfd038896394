import assert from "node:assert/strict";
import { join } from "node:path";
import { findFiles } from "../../src/documents/find-file.js";
import { TestFolder } from "../support/folders.js";
import { useTestScope } from "../support/test-scope.js";

const scripts = (name: string): number | undefined => (name.endsWith(".ts") ? 0 : name.endsWith(".js") ? 1 : undefined);

describe("the file that stands for a language", () => {
  const scope = useTestScope();

  async function found(...paths: readonly string[]): Promise<string | undefined> {
    const folder = scope().use(await TestFolder.create(Object.fromEntries(paths.map((path) => [path, ""]))));
    const [path] = await findFiles(folder.path, [scripts]);
    return path?.slice(join(folder.path, "/").length);
  }

  it("is one of the sources rather than a tool's, near the top, and in the language that matters most", async () => {
    assert.deepEqual(
      [
        await found("eslint.config.js", "bin/run.js", "app/src/deep/b.ts", "app/src/a.js", "app/src/c.ts"),
        await found("a.js", "b/c.ts"),
        await found("dist/a.ts", "node_modules/x/src/a.ts", "b.js"),
      ],
      [join("app", "src", "c.ts"), join("b", "c.ts"), "b.js"],
    );
  });

  it("is none in a hidden folder, which belongs to a tool", async () => {
    assert.equal(await found(".opencode/plugin/a.ts", ".cache/b/c.js"), undefined);
  });

  it("is a sample's only where there is nothing else", async () => {
    assert.equal(await found("test/fixtures/src/a.ts"), join("test", "fixtures", "src", "a.ts"));
  });
});
