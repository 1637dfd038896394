import assert from "node:assert/strict";
import { ownToolOf } from "../../src/base/acp/mcp-tool-call.js";
import { type PermissionPolicy, SessionPermissions } from "../../src/models/session-permissions.js";
import { SessionTurns } from "../../src/models/session-turns.js";

const server = "client_tools";

const options = [
  { optionId: "1", kind: "allow_always" },
  { optionId: "2", kind: "reject_once" },
  { optionId: "3", kind: "allow_once" },
];

/** Result of a permission request, and the note about it in the answer. */
interface Decision {
  readonly result: unknown;
  readonly said: string;
}

const allowed: Decision = { result: { outcome: { outcome: "selected", optionId: "3" } }, said: "" };

function denied(title: string): Decision {
  return { result: { outcome: { outcome: "selected", optionId: "2" } }, said: `[Not permitted: ${title}]` };
}

async function ask(
  toolCall: object,
  policy: PermissionPolicy = "deny",
  choices: readonly unknown[] = options,
  _meta: object = {},
): Promise<Decision> {
  const turns = new SessionTurns({
    key: "key",
    cancel: () => undefined,
    ownTool: (call) => ownToolOf(call, server, new Set(["shout"])),
  });
  const permissions = new SessionPermissions(turns, () => ({ policy, tool: undefined, askUser: undefined }));
  let [said, result]: [string, unknown] = ["", undefined];
  permissions.request({ toolCall, options: choices, _meta }, (answer) => (result = answer));
  const sink = {
    content: (text: string) => (said += text),
    reasoning: (text: string) => (said += `(${text.trim()})`),
    toolCall: () => undefined,
  };
  await turns.prompt(() => Promise.resolve({}), sink, true);
  return { result, said };
}

describe("the policy for permission requests", () => {
  it("denies everything by default, by the kind of the option, and says so", async () => {
    assert.deepEqual(await ask({ title: "Read x", kind: "read" }), denied("Read x"));
  });

  it("allows reading and searching, and nothing else, where it is to", async () => {
    const kinds = ["read", "search", "edit", "execute", "fetch", "delete", "other", undefined];
    const decisions = await Promise.all(kinds.map((kind) => ask({ title: "x", kind }, "allow-reads")));
    assert.deepEqual(
      kinds.filter((_kind, index) => decisions[index]?.said === ""),
      ["read", "search"],
    );
  });

  it("does not stand in for the user where the guard has the user asked", async () => {
    const read = { title: "Read x", kind: "read" };
    assert.deepEqual(await ask(read, "allow-reads", options, { "symposium/mustAsk": true }), denied("Read x"));
  });

  it("allows the client's own tools under the names that agents give them", async () => {
    for (const title of [
      "mcp__client_tools__shout",
      "client_tools_shout",
      "client_tools::shout",
      "client_tools/shout",
    ]) {
      assert.deepEqual(await ask({ title, kind: "other" }), allowed, title);
    }
  });

  it("is not deceived by a command that is called like one of them, nor by a tool that is none", async () => {
    const name = "client_tools_shout";
    assert.deepEqual(await ask({ title: name, kind: "execute" }), denied(name));
    assert.deepEqual(await ask({ title: "client_tools_whisper" }), denied("client_tools_whisper"));
    assert.deepEqual(await ask({ title: `rm -rf / # ${name}` }), denied(`rm -rf / # ${name}`));
  });

  it("cancels where no option fits", async () => {
    assert.deepEqual(await ask({}, "deny", []), {
      result: { outcome: { outcome: "cancelled" } },
      said: "[Not permitted: a tool call]",
    });
  });
});
