import assert from "node:assert/strict";
import { RunningServers } from "../../../src/features/mcp-servers/running-servers.js";

describe("the MCP servers of running agents", () => {
  it("are those of the agents that answer", async () => {
    const files = { name: "files", origin: { kind: "user" }, type: "stdio", state: { kind: "ready" }, tools: [] };
    const answers = [
      new Promise(() => undefined),
      Promise.reject(new Error("Method not found")),
      Promise.resolve({ servers: [{ ...files, sessions: 1 }] }),
    ];
    const ready = answers.map((answer) => ({ client: { call: () => answer } }));
    const running = new RunningServers({ ready } as unknown as ConstructorParameters<typeof RunningServers>[0], 10);
    assert.deepEqual(
      (await running.list()).map(({ name }) => name),
      ["files"],
    );
  });
});
