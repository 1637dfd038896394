import assert from "node:assert/strict";
import { TraceWriter } from "../../src/trace/trace-writer.js";

function setUp() {
  const lines: unknown[] = [];
  const writer = new TraceWriter({
    writeLine: (line) => lines.push(JSON.parse(line)),
    nowMs: () => 5,
    started: new Date(0),
  });
  return { lines, writer };
}

const header = { type: "header", version: 1, started: "1970-01-01T00:00:00.000Z" };

describe("TraceWriter", () => {
  it("writes the header first, and again when the chain becomes known", () => {
    const { lines, writer } = setUp();
    writer.recordProcess("Agent", { event: "exit", code: 1, signal: null });
    writer.begin(["Client", "Agent"]);
    assert.deepEqual(lines, [
      { ...header, components: [] },
      { type: "process", ts: 0, component: "Agent", event: "exit", code: 1, signal: null },
      { ...header, components: ["Client", "Agent"] },
    ]);
  });

  it("redacts command lines and stderr of processes", () => {
    const { lines, writer } = setUp();
    writer.recordProcess("Agent", {
      event: "start",
      command: "npx",
      args: ["--api-key", "s3cret", "--token=s3cret", "-y"],
    });
    writer.recordProcess("Agent", { event: "stderr", text: "using OPENAI_API_KEY=s3cret" });
    assert.doesNotMatch(JSON.stringify(lines), /s3cret/);
    assert.match(JSON.stringify(lines), /--api-key/);
  });

  it("keeps the event, without its payload, when that cannot be written", () => {
    const { lines, writer } = setUp();
    const hop = { protocol: "acp", from: "a", to: "b" } as const;
    writer.record({ type: "notification", ts: 0, ...hop, method: "m", params: { big: 1n } });
    assert.deepEqual(lines[1], {
      type: "notification",
      ts: 0,
      ...hop,
      method: "m",
      params: "[not recorded: Do not know how to serialize a BigInt]",
    });
  });

  it("gives out ids that are unique in the trace", () => {
    const { writer } = setUp();
    assert.deepEqual([writer.nextId(), writer.nextId(), writer.nextId()], [1, 2, 3]);
  });
});
