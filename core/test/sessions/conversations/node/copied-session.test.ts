import assert from "node:assert/strict";
import { conversationRecords } from "../../../../src/sessions/conversations/node/named-session.js";
import { KeptSessions } from "./kept-sessions.js";

describe("a fork in the kept conversations", () => {
  const chunk = (messageId: string, text: string): object => ({
    sessionUpdate: "agent_message_chunk",
    messageId,
    content: { type: "text", text },
  });

  /** Forks a session with three turns and prompts the fork. Returns the fork's records, and its turns and tokens in the session list. */
  async function forkedAt(messageId: string | undefined): Promise<readonly unknown[]> {
    await using kept = await KeptSessions.open();
    await kept.open();
    kept.answer = { stopReason: "end_turn", usage: { totalTokens: 10 } };
    for (const turn of [1, 2, 3]) {
      await kept.prompt(`prompt ${turn} "messageId":"m2"`, () => {
        kept.sends(chunk(`m${turn}`, `answer ${turn},`));
        kept.sends(chunk(`m${turn}`, " in two parts"));
        if (turn === 2) kept.sends(chunk("m2b", "more"));
      });
    }
    const fork = { version: 1, messageId };
    const _meta = { sessionId: "fork", ...(messageId !== undefined && { jetbrains: { air: { fork } } }) };
    await kept.request("session/fork", { sessionId: "one", cwd: kept.root, mcpServers: [], _meta });
    await kept.prompt("otherwise", undefined, "fork");
    await kept.settled();
    const listed = (await kept.sessions()).find(({ session }) => session === "fork");
    assert.ok(listed);
    const said = [...conversationRecords(kept.folder, listed.id)].flatMap((record): readonly (string | number)[] =>
      record.kind === "said" ? [record.said] : record.kind === "prompt" ? [record.turn] : [],
    );
    return [said, listed.turns, listed.tokens];
  }

  const first = [1, "answer 1, in two parts"];
  const second = [2, "answer 2, in two partsmore"];

  it("has all of it, or what was said until the end of the turn at whose message it was made", async () => {
    assert.deepEqual(await forkedAt(undefined), [[...first, ...second, 3, "answer 3, in two parts", 4], 4, 40]);
    assert.deepEqual(await forkedAt("m2"), [[...first, ...second, 3], 3, 30]);
    assert.deepEqual(await forkedAt("m1"), [[...first, 2], 2, 20]);
    assert.deepEqual(await forkedAt("m3"), [[...first, ...second, 3, "answer 3, in two parts", 4], 4, 40]);
  });

  it("has all of it where the message is not known by that id", async () => {
    assert.deepEqual((await forkedAt("stranger"))[1], 4);
  });
});
