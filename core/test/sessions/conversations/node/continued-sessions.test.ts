import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conversationRecords } from "../../../../src/sessions/conversations/node/named-session.js";
import { SessionFolder } from "../../../../src/sessions/conversations/node/session-folder.js";
import { listSessions } from "../../../../src/sessions/conversations/node/session-index.js";
import { pastConversation } from "../../../../src/sessions/conversations/past-turns.js";
import { removeSession } from "../../../../src/sessions/conversations/node/session-folder.js";
import type { SessionOpening } from "../../../../src/sessions/conversations/session-log.js";

describe("A conversation that goes on with another one", () => {
  let folder: string;
  let sessions: SessionFolder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "continued-"));
    const settings = { keep: true, days: 90, megabytes: 100 };
    sessions = new SessionFolder({ folder, settings: () => Promise.resolve(settings), mask: (text) => text });
  });
  afterEach(async () => {
    await sessions[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  async function say(opening: Partial<SessionOpening>, prompts: readonly string[], before?: string): Promise<string> {
    const log = sessions.open({ id: "s", cwd: "/w", agent: "a", hasHistory: false, ...opening });
    if (before !== undefined) {
      log.prompt(JSON.stringify([{ type: "text", text: "/symposium:continue b" }]));
      sessions.noteContinued(opening.id ?? "s", { conversation: before, turn: 2 }, "A");
      log.end("{}", "b");
    }
    for (const text of prompts) {
      log.prompt(JSON.stringify([{ type: "text", text }]));
      log.end("{}", opening.agent ?? "a");
    }
    await sessions.settled();
    return (await listSessions(folder)).find(({ session }) => session === opening.id)?.id ?? "";
  }

  function told(id: string, until?: number): unknown {
    return pastConversation(conversationRecords(folder, id, until)).turns.map(({ number, user }) => [number, user]);
  }

  it("has its turns first, and counts on from there", async () => {
    const first = await say({ id: "one" }, ["A", "B", "C"]);
    const second = await say({ id: "two", agent: "b", continues: { conversation: "one", turn: 2 } }, ["D", "E"]);
    const third = await say({ id: "three", agent: "c", continues: { conversation: second } }, ["F"]);
    assert.deepEqual(told(third), [
      [1, "A"],
      [2, "B"],
      [3, "D"],
      [4, "E"],
      [5, "F"],
    ]);
    assert.deepEqual(told(third, 3), [
      [1, "A"],
      [2, "B"],
      [3, "D"],
    ]);
    assert.deepEqual(told(first), [
      [1, "A"],
      [2, "B"],
      [3, "C"],
    ]);
    const listed = (await listSessions(folder)).map(({ session, turns, title, agent }) => [
      session,
      turns,
      title,
      agent,
    ]);
    assert.deepEqual(listed.sort(), [
      ["one", 3, "A", "a"],
      ["three", 5, "A", "c"],
      ["two", 4, "A", "b"],
    ]);
    await removeSession(folder, first);
    await sessions[Symbol.asyncDispose]();
    await removeSession(folder, first);
    assert.deepEqual(told(third), [
      [3, "D"],
      [4, "E"],
      [5, "F"],
    ]);
  });

  it("may say so after it has begun", async () => {
    const first = await say({ id: "one" }, ["A", "B"]);
    const second = await say({ id: "two", agent: "b" }, ["C"], first);
    assert.deepEqual(told(second), [
      [1, "/symposium:continue b"],
      [1, "A"],
      [2, "B"],
      [3, "C"],
    ]);
    const listed = (await listSessions(folder)).find(({ id }) => id === second);
    assert.deepEqual([listed?.turns, listed?.title], [3, "A"]);
  });
});
