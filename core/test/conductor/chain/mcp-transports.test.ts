import assert from "node:assert/strict";
import { type AgentMcpAbilities, planServers } from "../../../src/conductor/chain/mcp-transports.js";
import { Json } from "../../../src/base/rpc/json.js";

const everything: AgentMcpAbilities = { http: true, sse: true, acp: true };
const nothing: AgentMcpAbilities = { http: false, sse: false, acp: false };
const acp = Json.of({ type: "acp", name: "tools", serverId: "s1" });
const legacy = Json.of({ type: "http", name: "old tools", url: "acp:1", headers: [] });
const stdio = Json.of({ name: "stdio", command: "x", args: [], env: [] });
const http = Json.of({ type: "http", name: "http", url: "https://example.com", headers: [] });
const sse = Json.of({ type: "sse", name: "sse", url: "https://example.com", headers: [] });
const other = Json.of({ type: "future", name: "other" });
const all = (): boolean => true;

describe("planServers", () => {
  for (const [abilities, kind] of [
    [everything, "native"],
    [{ ...everything, acp: false }, "http"],
    [nothing, "stdio"],
  ] as const) {
    it(`gives servers over ACP as ${kind} to an agent with ${JSON.stringify(abilities)}`, () => {
      assert.deepEqual(planServers([acp, legacy], abilities, all), {
        servers: [
          { kind, name: "tools", reference: "s1" },
          { kind, name: "old tools", reference: "acp:1" },
        ],
        dropped: [],
        isUnchanged: false,
      });
    });
  }

  it("leaves out http and sse servers that the agent does not accept, and nothing else", () => {
    assert.deepEqual(planServers([stdio, http, sse, other], nothing, all), {
      servers: [
        { kind: "keep", json: stdio },
        { kind: "keep", json: other },
      ],
      dropped: ["http", "sse"],
      isUnchanged: false,
    });
  });

  it("sees when nothing has to change", () => {
    assert.equal(planServers([stdio, http, sse, other], everything, all).isUnchanged, true);
  });

  it("keeps references that others have to carry", () => {
    assert.deepEqual(planServers([acp], everything, () => false).servers, [{ kind: "keep", json: acp }]);
  });

  it("refuses a name that a server over ACP shares with any other, in either order, and names it", () => {
    const twin = Json.of({ name: "tools", command: "x", args: [], env: [] });
    const problems = [
      [acp, twin],
      [twin, acp],
      [acp, acp],
    ].map((entries) => planServers(entries, everything, all).problem ?? "");
    for (const problem of problems) assert.match(problem, /^two MCP servers of this session are named "tools"\./);
  });

  it("leaves it to the agent when the editor names two servers of its own alike", () => {
    assert.equal(planServers([stdio, stdio], everything, all).problem, undefined);
  });
});
