import assert from "node:assert/strict";
import { McpServerTable, readDeclaration } from "../../../src/base/mcp/server-table.js";
import { pingServer } from "../../../testing/ping-server.js";

describe("McpServerTable", () => {
  it("offers a server under an id that nobody guesses, until the offer is taken back", () => {
    const table = new McpServerTable();
    const server = pingServer("ping");
    const offers = [table.register(server, "owner"), table.register(server, "owner")];
    const ids = offers.map(({ declaration }) => readDeclaration(declaration).reference ?? "");
    for (const id of ids) assert.match(id, /^ping:[0-9a-f-]{36}$/);
    assert.notEqual(ids[0], ids[1]);
    assert.deepEqual(table.find(ids[0] ?? ""), { kind: "here", server, owner: "owner" });
    offers[0]?.[Symbol.dispose]();
    assert.deepEqual(
      ids.map((id) => table.find(id)?.kind),
      [undefined, "here"],
    );
  });

  it("believes the first component that declares a reference, and nobody about servers of this process", () => {
    const table = new McpServerTable();
    const id = readDeclaration(table.register(pingServer("ping"), "owner").declaration).reference ?? "";
    table.note("r", "mid", "first");
    table.note("r", "current", "second");
    table.note(id, "legacy", "third");
    assert.deepEqual(
      [table.find("r"), table.find(id)?.kind, table.find("unknown")],
      [{ kind: "component", dialect: "mid", owner: "first" }, "here", undefined],
    );
  });
});
