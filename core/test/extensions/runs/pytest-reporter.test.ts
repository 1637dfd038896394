import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { leaveOut } from "../../needs-cargo.js";
import { folderWith } from "../../agents/recommendations/workspace-fixture.js";

const reporters = fileURLToPath(new URL("../../../../reporters/", import.meta.url));

interface PluginEvent {
  readonly event: string;
  readonly message?: string;
  readonly text?: string;
}

/** The messages of the faults that our plugin writes, with the folder left out. */
async function messagesOf(files: Readonly<Record<string, string>>): Promise<(string | undefined)[]> {
  const { events } = await runWith(files);
  return events.filter(({ event }) => event === "fault").map(({ message }) => message);
}

/** The events that our plugin writes, with the folder left out, and what pytest prints. */
async function runWith(files: Readonly<Record<string, string>>): Promise<{ events: PluginEvent[]; printed: string }> {
  await using folder = await folderWith({ "pytest.ini": "[pytest]\n", ...files });
  const events = join(folder.path, "events");
  const env = { ...process.env, SYMPOSIUM_TEST_EVENTS: events, PYTHONPATH: reporters, PYTHONDONTWRITEBYTECODE: "1" };
  const args = ["-m", "pytest", "-p", "symposium_pytest"];
  const { stdout, stderr } = spawnSync("python3", args, { cwd: folder.path, env, encoding: "utf8" });
  const lines = (await readFile(events, "utf8")).replaceAll(`${folder.path}/`, "").trimEnd().split("\n");
  return { events: lines.map((line) => JSON.parse(line) as PluginEvent), printed: stdout + stderr };
}

describe("the plugin for pytest", function () {
  // Python starts from a cold disk.
  this.timeout(60_000);
  before(function () {
    if (spawnSync("python3", ["-m", "pytest", "--version"]).status !== 0) leaveOut(this, "python3 has no pytest");
  });

  it("says which tests passed only when they were run again", async () => {
    // As pytest-rerunfailures does it.
    const conftest = `import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    report.rerun = 1 if "again" in report.nodeid else 0
`;
    const { events } = await runWith({
      "conftest.py": conftest,
      "test_a.py": "def test_a(): pass\ndef test_again(): pass\n",
    });
    const notices = events.flatMap(({ event, text }) => (event === "notice" ? [text] : []));
    assert.deepEqual(notices, ["flaky: test_a.py::test_again passed at attempt 2"]);
  });

  it("is not what pytest warns of when another plugin raises", async () => {
    const conftest = `def pytest_runtest_makereport(item, call):
    raise ValueError("from another plugin")
`;
    const { printed } = await runWith({ "conftest.py": conftest, "test_a.py": "def test_a(): pass\n" });
    assert.match(printed, /from another plugin/);
    assert.doesNotMatch(printed, /old-style hookwrapper/);
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
