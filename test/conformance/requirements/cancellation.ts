import assert from "node:assert/strict";
import { Outcome, RpcError } from "@symposium-dev/core";
import { RecordingPeer } from "@symposium-dev/core/testing";
import { objectOf } from "../../support/json.js";
import type { RawClient } from "../../support/raw-client.js";
import { type Requirement, saidLines } from "../requirement.js";

const cancelledCode = -32800;

/** A client that leaves questions for permission open. */
function undecided(): RecordingPeer {
  return new RecordingPeer({ "session/request_permission": () => undefined });
}

/** Opens a turn that waits, and resolves when it does. */
async function waitingTurn(
  client: RawClient,
): Promise<{ sessionId: string; turn: ReturnType<RawClient["openPrompt"]> }> {
  const sessionId = await client.newSession();
  client.peer = new RecordingPeer();
  const turn = client.openPrompt(sessionId, "wait_for_cancel");
  await client.peer.waitFor("session/update");
  return { sessionId, turn };
}

/** How turns and requests are given up. */
export const cancellation: readonly Requirement[] = [
  {
    id: "ACP-CANCEL-001",
    tier: "mandatory",
    title: "session/cancel ends the turn with the stop reason cancelled, after its last updates",
    async check(client) {
      const { sessionId, turn } = await waitingTurn(client);
      client.notify("session/cancel", { sessionId });
      assert.equal((await turn.answer).text, '{"stopReason":"cancelled"}');
      assert.deepEqual(saidLines(client, sessionId), ["waiting", "cancelled by session/cancel"]);
    },
  },
  {
    id: "ACP-CANCEL-002",
    tier: "advisory",
    title: "$/cancel_request of a prompt reaches the agent and is answered with -32800",
    async check(client) {
      const { sessionId, turn } = await waitingTurn(client);
      turn.cancel();
      const { isError, value } = await turn.answer;
      assert.deepEqual([isError, objectOf(value)["code"]], [true, cancelledCode]);
      assert.deepEqual(saidLines(client, sessionId), ["waiting", "cancelled by $/cancel_request"]);
    },
  },
  {
    id: "ACP-CANCEL-003",
    tier: "advisory",
    title: "$/cancel_request finds a request by its id, a string with escapes too",
    async check(client) {
      const sessionId = await client.newSession();
      client.peer = new RecordingPeer();
      const params = { sessionId, prompt: [{ type: "text", text: "wait_for_cancel" }] };
      const line = `{"jsonrpc":"2.0","id":"turn \\"1\\"","method":"session/prompt","params":${JSON.stringify(params)}}`;
      const answer = client.exchange(line, 'turn "1"');
      await client.peer.waitFor("session/update");
      client.notify("$/cancel_request", '{"requestId":"turn \\"1\\""}');
      assert.match(await answer, new RegExp(`"code":${cancelledCode}`));
    },
  },
  {
    id: "ACP-CANCEL-004",
    tier: "mandatory",
    title: "the agent's own cancellation reaches the client once, and the client's late answer is no harm",
    async check(client) {
      const sessionId = await client.newSession();
      client.peer = undecided();
      const turn = client.openPrompt(sessionId, "permission");
      await client.peer.waitFor("session/request_permission", "request");
      client.notify("session/cancel", { sessionId });
      await client.peer.waitFor("session/request_permission", "cancel");
      client.peer.open[0]?.reply(Outcome.error(RpcError.cancelled()));
      assert.equal((await turn.answer).text, '{"stopReason":"cancelled"}');
      await client.request("_test/echo", {});
      assert.equal(client.peer.received.filter(({ kind }) => kind === "cancel").length, 1);
    },
  },
  {
    id: "ACP-CANCEL-005",
    tier: "mandatory",
    title: "$/cancel_request never travels on, nor does one for a request that is not open",
    async check(client) {
      await client.initialize();
      for (const requestId of ["12345678", '"none"', "null"])
        client.notify("$/cancel_request", `{"requestId":${requestId}}`);
      client.notify("$/cancel_request");
      const done = client.open("_test/echo", { a: 1 });
      assert.equal((await done.answer).text, '{"a":1}');
      done.cancel();
      assert.equal((await client.receivedByAgent()).includes("$/cancel_request"), false);
    },
  },
  {
    id: "ACP-CANCEL-006",
    tier: "mandatory",
    title: "leaves the turns of other sessions alone",
    async check(client) {
      const one = await waitingTurn(client);
      const other = await waitingTurn(client);
      client.notify("session/cancel", { sessionId: one.sessionId });
      assert.equal((await one.turn.answer).text, '{"stopReason":"cancelled"}');
      assert.deepEqual(saidLines(client, other.sessionId), ["waiting"]);
      client.notify("session/cancel", { sessionId: other.sessionId });
      assert.equal((await other.turn.answer).text, '{"stopReason":"cancelled"}');
    },
  },
];
