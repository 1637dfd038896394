import assert from "node:assert/strict";
import { TraceWriter } from "../../../src/sessions/trace/trace-writer.js";

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

  it("has no answers of a form's secret fields, nor what repeats them, whatever is around the form", () => {
    const { lines, writer } = setUp();
    const hop = { ts: 0, protocol: "acp", from: "a", to: "b" } as const;
    const properties = {
      pin: { type: "string", format: "password" },
      token: { type: "string", _meta: { codex: { isSecret: true } }, default: "proposed-one" },
      name: { type: "string" },
    };
    const form = { mode: "form", message: "Who?", requestedSchema: { properties } };
    const answer = { action: "accept", content: { pin: "93", token: "open sesame", name: "Ada" } };
    const method = "elicitation/create";
    const both = [
      [form, answer],
      [{ method, params: form }, { result: answer }],
    ] as const;
    for (const [index, [params, payload]] of both.entries()) {
      writer.record({ type: "request", ...hop, id: index, method, params });
      writer.record({ type: "response", ...hop, id: index, method, is_error: false, payload, duration_ms: 1 });
    }
    const said = { text: "You said: open sesame" };
    writer.record({ type: "notification", ...hop, method: "session/update", params: said });
    writer.end();
    const text = JSON.stringify(lines);
    assert.doesNotMatch(text, /sesame|"93"|proposed-one/);
    assert.match(text, /Ada.*You said: \[redacted\]/);
  });

  it("redacts what agents repeat of the variables that they were given, also where it is cut", () => {
    const { lines, writer } = setUp();
    const hop = { ts: 0, protocol: "acp", from: "a", to: "b" } as const;
    const secret = `Zq7${"x".repeat(3_000)}`;
    writer.secrets.learn({ OWN_TOKEN: "Zq7-of-ours" });
    const env = [{ name: "SERVICE_PASSWORD", value: secret }];
    writer.record({ type: "notification", ...hop, method: "m", params: { mcpServers: [{ env }] } });
    for (let before = 4000; before < 4200; before += 7) {
      const text = `${"a ".repeat(before / 2)}${secret}${"b ".repeat(9_000)}`;
      writer.record({ type: "notification", ...hop, method: "m", params: { text, other: "it is Zq7-of-ours" } });
    }
    assert.doesNotMatch(JSON.stringify(lines), /Zq7/);
    assert.match(JSON.stringify(lines), /it is \[redacted\]/);
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
