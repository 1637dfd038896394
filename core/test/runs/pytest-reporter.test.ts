import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { leaveOut } from "../needs-cargo.js";
import { folderWith } from "../recommendations/workspace-fixture.js";

const reporters = fileURLToPath(new URL("../../../reporters/", import.meta.url));

/** The messages of the faults that our plugin writes, with the folder left out. */
async function messagesOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  await using folder = await folderWith({ "pytest.ini": "[pytest]\n", ...files });
  const events = join(folder.path, "events");
  const env = { ...process.env, SYMPOSIUM_TEST_EVENTS: events, PYTHONPATH: reporters, PYTHONDONTWRITEBYTECODE: "1" };
  const args = ["-m", "pytest", "-p", "symposium_pytest"];
  spawnSync("python3", args, { cwd: folder.path, env });
  const lines = (await readFile(events, "utf8")).replaceAll(`${folder.path}/`, "").trimEnd().split("\n");
  const told = lines.map((line) => JSON.parse(line) as { readonly event: string; readonly message: string });
  return told.filter(({ event }) => event === "fault").map(({ message }) => message);
}

describe("the plugin for pytest", () => {
  before(function () {
    if (spawnSync("python3", ["-m", "pytest", "--version"]).status !== 0) leaveOut(this, "python3 has no pytest");
  });

  it("has the causes of an exception with their places", async () => {
    const messages = await messagesOf({
      "test_a.py": `def load():
    try:
        {}["k"]
    except KeyError as error:
        raise RuntimeError("cannot load") from error
def test_cause():
    load()
def test_context():
    try:
        1 / 0
    except ZeroDivisionError:
        raise ValueError("bad")
def test_hidden():
    try:
        1 / 0
    except ZeroDivisionError:
        raise ValueError("bad") from None
`,
    });
    assert.deepEqual(messages, [
      "RuntimeError: cannot load\ncaused by: KeyError: 'k' (test_a.py:3)",
      "ValueError: bad\nraised while handling: ZeroDivisionError: division by zero (test_a.py:10)",
      "ValueError: bad",
    ]);
  });

  it("has the parts of an exception group", async function () {
    if (spawnSync("python3", ["-c", "ExceptionGroup"]).status !== 0) leaveOut(this, "python3 has no exception groups");
    const messages = await messagesOf({
      "test_a.py": `def test_group():
    raise ExceptionGroup("many", [ValueError("one"), ExceptionGroup("inner", [TypeError("deep")])])
`,
    });
    assert.deepEqual(messages, [
      "ExceptionGroup: many (2 sub-exceptions)\n  part 1: ValueError: one\n" +
        "  part 2: ExceptionGroup: inner (1 sub-exception)\n    part 1: TypeError: deep",
    ]);
  });

  it("has the error of a module that does not load before its cause", async () => {
    const messages = await messagesOf({
      "test_a.py": `try:
    import no_such_module
except ImportError as error:
    raise RuntimeError("no load") from error
`,
    });
    assert.deepEqual(messages, [
      "RuntimeError: no load\ncaused by: ModuleNotFoundError: No module named 'no_such_module' (test_a.py:2)",
    ]);
  });
});
