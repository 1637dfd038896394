import assert from "node:assert/strict";
import { isOurs } from "../../../src/agents/zed/agent-server.js";

describe("an entry of Zed's agent_servers", () => {
  const programs = [
    "/usr/local/bin/symposium-acp-agent",
    "/opt/kit/symposium-acp-agent.mjs",
    "/opt/kit/symposium-acp-agent.cjs",
    "C:\\kit\\symposium-acp-agent.exe",
    "C:\\kit\\symposium-acp-agent.cmd",
  ];
  for (const program of programs) {
    it(`is ours when it starts ${program}, by itself or by a Node`, () => {
      assert.ok(isOurs("Symposium", { command: program, args: ["run"] }));
      assert.ok(isOurs("Symposium", { command: "node", args: [program, "run"] }));
    });
  }

  it("is somebody else's when it starts another program, or has another name", () => {
    assert.ok(!isOurs("Symposium", { command: "node", args: ["/opt/kit/symposium-acp-agent.txt"] }));
    assert.ok(!isOurs("Other", { command: "symposium-acp-agent" }));
  });
});
