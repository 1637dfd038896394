import assert from "node:assert/strict";
import { refusedEditorFile } from "../../../src/guard/sandbox/editor-file.js";

describe("a file that an agent in a sandbox has its editor touch", () => {
  const roots = ["/work/app"];
  const isRefused = (place: string, isWritten: boolean): boolean =>
    refusedEditorFile({ place, roots }, isWritten) !== undefined;

  it("is read only in the session's folders", () => {
    const places = ["/work/app/src/a.ts", "/work/app/.git/hooks/x", "/work/app2/a", "/home/user/.ssh/id_rsa"];
    assert.deepEqual(
      places.map((place) => isRefused(place, false)),
      [false, false, true, true],
    );
  });

  it("is written only there, and not where it would run code later, be it there or not", () => {
    const allowed = ["src/a.ts", ".gitignore", ".github/ci.yml", "package.json", "sub/.git2/x", "sub/HEAD"];
    allowed.push(".git/modules/m/index", ".agents/notes.md");
    const refused = [".git/hooks/x", ".git/config", ".git", ".vscode/tasks.json", ".envrc", ".git/modules/m/config"];
    refused.push(".git/modules/third/party/m/hooks/x", ".agents/skills/x/SKILL.md", "mise.toml", "HEAD");
    const nested = ["sub/.git/hooks/x", "sub/.git"];
    assert.deepEqual(
      [allowed, refused, nested].map((names) => names.map((name) => isRefused(`/work/app/${name}`, true))),
      [allowed.map(() => false), refused.map(() => true), nested.map(() => true)],
    );
    assert.equal(isRefused("/home/user/.bashrc", true), true);
  });
});
