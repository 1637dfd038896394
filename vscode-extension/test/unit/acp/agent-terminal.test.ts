import assert from "node:assert/strict";
import { toTerminalChanges } from "../../../src/acp/tool-output.js";

describe("output that an agent sends with a tool call", () => {
  it("is added to the terminal that it names, or to the tool call's own", () => {
    const _meta = {
      terminal_output: { terminal_id: "t", data: "one\n" },
      terminal_output_delta: { data: "two\n" },
      terminal_exit: { terminal_id: "t", exit_code: 1, signal: null },
    };
    assert.deepEqual(toTerminalChanges({ toolCallId: "call", _meta }), [
      { op: "terminal", terminalId: "t", text: "one\n" },
      { op: "terminal", terminalId: "call", text: "two\n" },
      { op: "terminal", terminalId: "t", text: "", exit: { code: 1, signal: null } },
    ]);
  });

  it("is nothing where the parts have other forms", () => {
    for (const _meta of [undefined, null, 7, { terminal_output: "x" }, { terminal_output: { data: 1 } }]) {
      const update: object = { toolCallId: "call", _meta };
      assert.deepEqual(toTerminalChanges(update), []);
    }
  });
});
