import assert from "node:assert/strict";
import { currentDialect, underscoreDialect } from "../../../src/conductor/chain/proxy-dialect.js";
import { noteDeclaredServers } from "../../../src/conductor/chain/chain.js";
import { McpServerTable } from "../../../src/base/mcp/server-table.js";
import { Request } from "../../../src/base/rpc/message.js";

const acp = (serverId: string): unknown => ({ type: "acp", name: serverId, serverId });
const url = (reference: string): unknown => ({ type: "http", name: reference, url: reference, headers: [] });
const setup = (...mcpServers: unknown[]): Request => Request.of("session/new", { cwd: "/w", mcpServers });

describe("noteDeclaredServers", () => {
  it("tells the generations apart by the form of the declaration and the dialect of the proxy", () => {
    const servers = new McpServerTable();
    noteDeclaredServers(
      servers,
      "old",
      [setup()],
      setup(url("acp:1"), acp("2"), { name: "stdio", command: "x" }),
      underscoreDialect,
    );
    noteDeclaredServers(servers, "new", [setup()], setup(acp("3"), url("https://example.com")), currentDialect);
    const place = (dialect: string, owner: string): unknown => ({ kind: "component", dialect, owner });
    assert.deepEqual(
      ["acp:1", "2", "3", "https://example.com"].map((reference) => servers.find(reference)),
      [place("legacy", "old"), place("mid", "old"), place("current", "new"), undefined],
    );
  });

  it("takes nothing for the proxy's that came to it, in any set-up it has not answered", () => {
    const servers = new McpServerTable();
    noteDeclaredServers(
      servers,
      "p",
      [setup(acp("a")), setup(acp("b"))],
      setup(acp("a"), acp("b"), acp("c")),
      underscoreDialect,
    );
    assert.deepEqual(
      ["a", "b", "c"].map((reference) => servers.find(reference) !== undefined),
      [false, false, true],
    );
  });

  it("forgets a server with the last session that it was declared for", () => {
    const servers = new McpServerTable();
    const isKnown = (): boolean => servers.find("a") !== undefined;
    const [first, second] = [1, 2].map(() =>
      noteDeclaredServers(servers, "p", [setup()], setup(acp("a")), currentDialect),
    );
    first?.[Symbol.dispose]();
    first?.[Symbol.dispose]();
    assert.equal(isKnown(), true);
    second?.[Symbol.dispose]();
    assert.equal(isKnown(), false);
  });

  it("reads set-ups without servers", () => {
    const servers = new McpServerTable();
    noteDeclaredServers(
      servers,
      "p",
      [new Request("session/new")],
      Request.of("session/new", { mcpServers: null }),
      currentDialect,
    );
    noteDeclaredServers(servers, "p", [Request.of("session/new", {})], setup(acp("a")), currentDialect);
    assert.equal(servers.find("a")?.owner, "p");
  });
});
