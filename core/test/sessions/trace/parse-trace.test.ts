import assert from "node:assert/strict";
import { parseTrace } from "../../../src/sessions/trace/parse-trace.js";

const note = (from: string, to: string) =>
  JSON.stringify({ type: "notification", ts: 1, from, to, method: "m", params: null });

describe("parseTrace", () => {
  it("counts the lines it cannot read and goes on", () => {
    const header = '{"type":"header","version":1,"started":"2026-01-01T00:00:00Z","components":["Client","p","Agent"]}';
    const trace = parseTrace(
      [header, "{broken", "", "[]", '{"type":"request","ts":1}', note("Client", "p")].join("\r\n"),
    );
    assert.deepEqual(
      { ...trace, events: trace.events.map(({ from, to }) => [from, to]) },
      {
        started: "2026-01-01T00:00:00Z",
        components: ["Client", "p", "Agent"],
        brokenLines: 3,
        events: [["Client", "p"]],
      },
    );
  });

  it("orders the components of a trace without a header from the client to the agent", () => {
    const trace = parseTrace(
      [note("Proxy(0)", "Agent"), note("Client", "Proxy(0)"), note("Proxy(1)", "Agent")].join("\n"),
    );
    assert.deepEqual(trace.components, ["Client", "Proxy(0)", "Proxy(1)", "Agent"]);
  });

  it("puts components that the header does not name before the agent", () => {
    const header = '{"type":"header","version":1,"components":["Client","Agent"]}';
    assert.deepEqual(parseTrace(`${header}\n${note("late", "Client")}`).components, ["Client", "late", "Agent"]);
  });

  it("says that an empty file is empty", () => {
    assert.throws(() => parseTrace(" \n\n"), { code: "invalid-trace", message: "The trace is empty." });
  });

  it("says how a file begins that is no trace", () => {
    assert.throws(() => parseTrace('{"agent":"x"}\n}'), {
      code: "invalid-trace",
      message: String.raw`This is not a trace. None of its 2 lines is a trace event; the first one starts with "{\"agent\":\"x\"}".`,
    });
  });
});
