import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GuardFiles } from "../../src/guard/node/guard-rule-files.js";

const budgetOf = (dollars: number): string => JSON.stringify({ budgets: { day: { dollars } } });

describe("GuardFiles.budgetsFor", () => {
  let root: string;
  let cwd: string;
  let files: GuardFiles;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "guard-files-")));
    cwd = join(root, "project", "packages");
    files = new GuardFiles(join(root, "config"), join(root, "home"));
    for (const folder of ["project/.git", "project/.symposium", "config"])
      await mkdir(join(root, folder), { recursive: true });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function limits(): Promise<readonly number[]> {
    return (await files.budgetsFor(cwd)).map(({ limit }) => limit);
  }

  it("has the user's and the repository's, as they are by now", async () => {
    await mkdir(cwd);
    assert.deepEqual(await limits(), []);
    const [own, ours] = [join(root, "config/guard.jsonc"), join(root, "project/.symposium/guard.jsonc")];
    await writeFile(ours, budgetOf(1));
    assert.deepEqual(await limits(), [1]);
    await writeFile(own, budgetOf(2));
    assert.deepEqual(await limits(), [2, 1]);
    // The first call located the repository's rules, so removing `.git` has no effect.
    await rm(join(root, "project/.git"), { recursive: true });
    assert.deepEqual(await limits(), [2, 1]);
    await rm(ours);
    assert.deepEqual(await limits(), [2]);
  });

  it("looks for the repository again where the session's folder was not there", async () => {
    await writeFile(join(root, "project/.symposium/guard.jsonc"), budgetOf(1));
    assert.deepEqual(await limits(), []);
    await mkdir(cwd);
    assert.deepEqual(await limits(), [1]);
  });
});
