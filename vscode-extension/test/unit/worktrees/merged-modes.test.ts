import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import { takeModes } from "../../../src/features/worktrees/merged-modes.js";

describe("the permissions of merged files", () => {
  let base: string;
  const text = "two\n";

  before(function () {
    // Windows knows no permission bits.
    if (process.platform === "win32") this.skip();
  });
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "symposium modes "));
    for (const tree of ["main", "worktree"]) mkdirSync(join(base, tree));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  function put(path: string, mode: number): void {
    writeFileSync(join(base, path), text);
    chmodSync(join(base, path), mode);
  }

  it("become those of the worktree, under review where the file was there before", async () => {
    const book = new ReviewBook();
    const modes = { "run.sh": 0o640, "plain.sh": 0o755, "same.sh": 0o750, "new.sh": 0o644 };
    for (const [name, mode] of Object.entries(modes)) put(join("main", name), mode);
    put("worktree/new.sh", 0o755);
    const at = (name: string): string => join(base, "main", name);
    const files = Object.keys(modes).map((name) => {
      const now = name === "new.sh" ? null : "one\n";
      book.agentChanged("tab", at(name), now, text);
      return { path: at(name), now, text, hasOthers: false };
    });
    const changes = [
      { path: "run.sh", kind: "file", wasThere: true, canRun: true },
      { path: "plain.sh", kind: "file", wasThere: true, canRun: false },
      { path: "same.sh", kind: "file", wasThere: true },
      { path: "new.sh", kind: "file", wasThere: false },
    ] as const;
    await takeModes({ files, changes, top: join(base, "main"), root: join(base, "worktree"), tabId: "tab" }, book);
    const found = Object.keys(modes).map((name) => [
      name,
      statSync(at(name)).mode & 0o777,
      book.find(at(name))?.attributes?.baseline.mode,
    ]);
    assert.deepEqual(found, [
      ["run.sh", 0o750, 0o640],
      ["plain.sh", 0o644, 0o755],
      ["same.sh", 0o750, undefined],
      ["new.sh", 0o755, undefined],
    ]);
  });
});
