import assert from "node:assert/strict";
import { editToolsOf, quirksOf } from "../../src/agents/agent-quirks.js";
import { parseInitialized } from "../../src/conductor/client/initialized-agent.js";

const quirks = (name: string, meta?: object): object =>
  quirksOf(parseInitialized({ agentInfo: { name }, agentCapabilities: { _meta: { ...meta } } }));

describe("what is known of an agent by what it says of itself", () => {
  const none = { isClaude: false, sharesServers: false, takesSystemPromptInMeta: false };
  const claude = { ...none, isClaude: true, takesSystemPromptInMeta: true };

  it("is Claude by its name or its capability, and OpenCode by its whole name", () => {
    assert.deepEqual(
      [quirks("@zed-industries/claude-code-acp"), quirks("other", { claudeCode: {} }), quirks("OpenCode")],
      [claude, claude, { ...none, sharesServers: true }],
    );
  });

  it("is nothing of any other agent", () => {
    assert.deepEqual(
      [quirks("OpenCode fork"), quirks("claudette"), quirksOf(parseInitialized({}))],
      [none, none, none],
    );
  });

  it("has tools to leave out only of the adapters that take the option", () => {
    const names = ["@agentclientprotocol/claude-agent-acp", "@zed-industries/claude-code-acp", "claude", undefined];
    assert.deepEqual(
      names.map((name) => editToolsOf(name)?.names),
      [["Write", "Edit", "MultiEdit"], ["Write", "Edit", "MultiEdit"], undefined, undefined],
    );
  });
});
