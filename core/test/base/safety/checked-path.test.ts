import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPath, needsLeave } from "../../../src/base/safety/node/checked-path.js";

describe("checkPath", () => {
  let root: string;
  let project: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "checked-path-")));
    project = join(root, ".vscode", "project");
    await mkdir(join(project, ".git", "hooks"), { recursive: true });
    await mkdir(join(project, "src"));
    await writeFile(join(project, ".git", "config"), "");
  });
  afterEach(() => rm(root, { recursive: true }));

  /** `read`, `write` or both, for what an agent may not do unasked. */
  async function asked(path: string): Promise<string> {
    const checked = await checkPath(path, project, [project]);
    return (["read", "write"] as const).filter((use) => needsLeave(checked, use)).join(" ");
  }

  it("lets an agent read and write the project's own files, wherever the project stands", async () => {
    assert.deepEqual([await asked("src/new/a.ts"), await asked("."), await asked("package.json")], ["", "", ""]);
  });

  it("asks before what makes tools run programs is written, and before secrets are read", async () => {
    assert.deepEqual(
      [await asked("rust-toolchain.toml"), await asked(".github/workflows/ci.yml"), await asked(".env")],
      ["write", "write", "read write"],
    );
  });

  it("asks outside of the roots, for dots and links", async () => {
    await symlink(root, join(project, "out"));
    await symlink(join(root, "nothing"), join(project, "dangling"));
    const paths = ["../x", "src/../../x", join(root, "x"), "out/x", "dangling", `${project}-more/x`];
    assert.deepEqual(
      await Promise.all(paths.map(asked)),
      paths.map(() => "read write"),
    );
  });

  it("knows a sensitive file by dots, case and links, also by those to what is not there yet", async () => {
    await symlink(join(project, ".git"), join(project, "data"));
    await symlink(join(project, ".git", "config"), join(project, "notes.txt"));
    await symlink(join(project, ".git", "hooks", "pre-commit"), join(project, "later.txt"));
    await symlink(join(project, "src"), join(project, ".cargo"));
    const paths = ["src/../.git/config", ".GIT/config", "data/config", "notes.txt", "later.txt", "./.git//config"];
    const checked = await Promise.all(paths.map((path) => checkPath(path, project, [project])));
    assert.deepEqual(
      checked.map(({ sensitive, isGitInternal }) => [sensitive?.tool, isGitInternal]),
      paths.map(() => ["Git", true]),
    );
    assert.equal((await checkPath(".cargo/config.toml", project, [project])).sensitive?.tool, "cargo");
  });
});
