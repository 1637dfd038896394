import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkCommand } from "../../../src/base/safety/node/checked-command.js";

describe("a remembered answer for a command", () => {
  let folder = "";
  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), "checked-command-")))));
  afterEach(() => rm(folder, { recursive: true }));

  const grantOf = async (text: string): Promise<string | undefined> =>
    (await checkCommand({ text }, [folder])).parts?.[0]?.grant?.join(" ");

  it("is widened for words that name files of the workspace", async () => {
    assert.equal(await grantOf("tsc -p tsconfig.json"), "tsc");
    assert.equal(await grantOf("pytest -q tests/a.py"), "pytest");
  });

  it("is never widened for a word with an @, which may be a file of further arguments", async () => {
    const commands = [
      "tsc @args",
      "tsc -p @args",
      "ruff check @args",
      "mypy @args",
      "pytest @args",
      "pytest -q x@args",
    ];
    for (const text of commands) assert.equal(await grantOf(text), undefined, text);
  });
});
