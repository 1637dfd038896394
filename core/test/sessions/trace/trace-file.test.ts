import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { openTraceFile } from "../../../src/sessions/trace/node/trace-file.js";

describe("openTraceFile", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "trace-file-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (path: string | undefined): string[] => readFileSync(path ?? "", "utf8").split("\n");

  it("creates the folder and a file named after time and process that only the user may read", () => {
    const dir = join(folder, "a", "b");
    using trace = openTraceFile(dir);
    const [name = "", ...others] = readdirSync(dir);
    assert.match(name, new RegExp(`^\\d{8}-\\d{6}-${process.pid}\\.jsonl$`));
    assert.deepEqual(others, []);
    assert.equal(trace.path, join(dir, name));
    if (process.platform !== "win32") assert.equal(statSync(trace.path).mode & 0o777, 0o600);
  });

  it("holds the lines of a tick back and writes them after it", async () => {
    using trace = openTraceFile(folder, { name: "t" });
    trace.writer.begin(["Client", "Agent"]);
    trace.writer.recordProcess("Agent", { event: "start" });
    assert.deepEqual(read(trace.path), [""]);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(read(trace.path).length, 3);
  });

  it("writes what is left when it is closed, and nothing afterwards", () => {
    const listeners = process.listenerCount("exit");
    const trace = openTraceFile(folder, { name: "t" });
    trace.writer.begin(["Client"]);
    trace[Symbol.dispose]();
    trace.writer.begin(["late"]);
    trace[Symbol.dispose]();
    const lines = read(trace.path);
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? "", /"components":\["Client"\]/);
    assert.equal(process.listenerCount("exit"), listeners);
  });

  it("never shares a file with another trace", () => {
    using first = openTraceFile(folder, { name: "t" });
    using second = openTraceFile(folder, { name: "t" });
    assert.deepEqual([first.path, second.path], [join(folder, "t.jsonl"), join(folder, "t-2.jsonl")]);
  });

  it("fails and names the folder that cannot be written", () => {
    writeFileSync(join(folder, "file"), "");
    const unwritable = [join(folder, "file"), ...(process.platform === "linux" ? ["/proc/nope/deeper"] : [])];
    for (const dir of unwritable) {
      assert.throws(
        () => openTraceFile(dir),
        (thrown: unknown) => thrown instanceof SymposiumError && thrown.message.includes(`a trace to ${dir}: `),
      );
    }
  });
});
