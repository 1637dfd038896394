import assert from "node:assert/strict";
import { displayNameOf } from "../../../src/agents/registry/built-in-agents.js";

describe("displayNameOf", () => {
  it("names a known agent by its id, an alias or its program, and no other agent", () => {
    const names = ["claude-code", "claude-acp", "claude-agent-acp", "qwen", "eliza", "elizacp", "my-agent"];
    const shown = ["Claude Code", "Claude Code", "Claude Code", "Qwen Code", "Eliza", "Eliza", "my-agent"];
    assert.deepEqual(names.map(displayNameOf), shown);
  });
});
