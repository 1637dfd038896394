import assert from "node:assert/strict";
import type { SessionLogs } from "../../src/conversations/session-log.js";
import { SessionRecorder } from "../../src/conversations/session-recorder.js";
import { Outcome, Request } from "../../src/rpc/message.js";
import { ask, nothingToCancel } from "../../src/rpc/peer.js";

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
