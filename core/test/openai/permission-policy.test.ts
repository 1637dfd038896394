import assert from "node:assert/strict";
import { ownToolOf } from "../../src/model/own-tool.js";
import { clientToolsName, decidePermission } from "../../src/openai/permission-policy.js";

const options = [
  { optionId: "1", kind: "allow_always" },
  { optionId: "2", kind: "reject_once" },
  { optionId: "3", kind: "allow_once" },
];
const isOwn = (toolCall: Readonly<Record<string, unknown>>): boolean =>
  ownToolOf(toolCall, clientToolsName, new Set(["shout"])) !== undefined;
const allowed = { result: { outcome: { outcome: "selected", optionId: "3" } } };

function denied(title: string): object {
  return { result: { outcome: { outcome: "selected", optionId: "2" } }, denied: title };
}

function ask(toolCall: object, policy: "deny" | "allow-reads" = "deny"): object {
  return decidePermission({ toolCall, options }, policy, isOwn);
}

describe("the policy for permission requests", () => {
  it("denies everything by default, by the kind of the option", () => {
    assert.deepEqual(ask({ title: "Read x", kind: "read" }), denied("Read x"));
  });

  it("allows reading and searching, and nothing else, where it is told to", () => {
    const kinds = ["read", "search", "edit", "execute", "fetch", "delete", "other", undefined];
    assert.deepEqual(
      kinds.filter((kind) => !("denied" in ask({ title: "x", kind }, "allow-reads"))),
      ["read", "search"],
    );
  });

  it("allows the client's own tools under the names that agents give them", () => {
    for (const title of [
      "mcp__client_tools__shout",
      "client_tools_shout",
      "client_tools::shout",
      "client_tools/shout",
    ]) {
      assert.deepEqual(ask({ title, kind: "other" }), allowed, title);
    }
  });

  it("is not deceived by a command that is called like one of them, nor by a tool that is none", () => {
    const name = "client_tools_shout";
    assert.deepEqual(ask({ title: name, kind: "execute" }), denied(name));
    assert.deepEqual(ask({ title: "client_tools_whisper" }), denied("client_tools_whisper"));
    assert.deepEqual(ask({ title: `rm -rf / # ${name}` }), denied(`rm -rf / # ${name}`));
  });

  it("cancels where no option fits", () => {
    assert.deepEqual(decidePermission({ toolCall: {}, options: [] }, "deny", isOwn), {
      result: { outcome: { outcome: "cancelled" } },
      denied: "a tool call",
    });
  });
});
