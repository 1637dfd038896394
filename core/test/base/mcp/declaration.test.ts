import assert from "node:assert/strict";
import { acpDeclaration, readDeclaration } from "../../../src/base/mcp/server-table.js";
import { Json } from "../../../src/base/rpc/json.js";

describe("readDeclaration", () => {
  const cases: readonly (readonly [entry: unknown, name: string, kind: string, reference?: string])[] = [
    [{ name: "a", command: "x", args: [], env: [] }, "a", "stdio"],
    [{ type: "stdio", name: "a", command: "x" }, "a", "stdio"],
    [{ type: "http", name: "a", url: "https://example.com" }, "a", "http"],
    [{ type: "sse", name: "a", url: "https://example.com" }, "a", "sse"],
    [{ type: "acp", name: "a", serverId: "s" }, "a", "acp", "s"],
    [{ type: "http", name: "a", url: "acp:1", headers: [] }, "a", "acp", "acp:1"],
    [{ type: "acp", name: "a" }, "a", "other"],
    [{ type: "future", name: 1 }, "", "other"],
    ["text", "", "stdio"],
  ];
  for (const [entry, name, kind, reference] of cases) {
    it(`reads ${JSON.stringify(entry)} as ${kind}`, () => {
      const json = Json.of(entry);
      assert.deepEqual(readDeclaration(json), { name, kind, reference, json });
    });
  }

  it("reads what acpDeclaration writes", () => {
    const json = acpDeclaration("tools", "id");
    assert.deepEqual(readDeclaration(json), { name: "tools", kind: "acp", reference: "id", json });
  });
});
