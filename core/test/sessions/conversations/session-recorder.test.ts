import assert from "node:assert/strict";
import { conversationMarkdown } from "../../../src/sessions/conversations/conversation-markdown.js";
import { KeptSessions } from "./node/kept-sessions.js";
import type { SessionLogs } from "../../../src/sessions/conversations/session-log.js";
import { SessionRecorder } from "../../../src/sessions/conversations/session-recorder.js";
import { Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, nothingToCancel } from "../../../src/base/rpc/peer.js";

describe("SessionRecorder", () => {
  it("learns what is answered in the secret fields of a form, before the agent can repeat it", async () => {
    const learned: string[] = [];
    const logs: SessionLogs = {
      open: () => assert.fail("No session is opened here."),
      forget: () => undefined,
    };
    const recorder = new SessionRecorder(logs, { agentOf: () => "a", learnSecret: (answer) => learned.push(answer) });
    const client = recorder.towardClient({
      request: (_request, reply) => {
        reply(Outcome.of({ action: "accept", content: { token: "open sesame", name: "Ada" } }));
        return nothingToCancel;
      },
      notify: () => undefined,
    });
    const properties = { token: { type: "string", format: "password" }, name: { type: "string" } };
    const form = { sessionId: "one", mode: "form", message: "Who?", requestedSchema: { type: "object", properties } };
    const { json } = await ask(client, Request.of("elicitation/create", form));
    assert.deepEqual([learned, json.object?.["action"]], [["open sesame"], "accept"]);
  });
});

describe("SessionRecorder, of sub-agents", () => {
  it("gives what they do to the session that they belong to, and what their sub-agents do, too", async () => {
    const kept = await KeptSessions.open();
    try {
      await kept.open();
      await kept.prompt("Go", () => {
        kept.sends({ sessionUpdate: "subagent_update", sessionId: "child", title: "Look" });
        kept.says("I looked", "child");
        kept.sends({ sessionUpdate: "subagent_update", sessionId: "grandchild", title: "Deeper" }, "child");
        kept.says("Deep down", "grandchild");
        kept.says("nobody's", "stranger");
        void kept.asks("grandchild");
        kept.says("Done");
      });
      await kept.settled();
      const records = await kept.records();
      assert.deepEqual(
        records.map((record) => [record.kind, "params" in record && record.params["sessionId"]]),
        [
          ["header", false],
          ["prompt", false],
          ["update", "one"],
          ["child", "child"],
          ["child", "child"],
          ["child", "grandchild"],
          ["permission", false],
          ["update", "one"],
          ["said", false],
          ["end", false],
        ],
      );
      const told = [...conversationMarkdown(records)].join("");
      assert.match(told, /- Sub-agent: Look\n {2}> I looked\n\n- Sub-agent: Deeper\n {2}> Deep down\n[^]*Done/);
    } finally {
      await kept[Symbol.asyncDispose]();
    }
  });
});
