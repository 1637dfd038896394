import assert from "node:assert/strict";
import { type BadgedTab, badgeOf } from "../../../src/features/chat/chat-badge.js";

describe("the badge of the chat", () => {
  const tab = (waiting: number, isUnread: boolean): BadgedTab => ({ state: { waiting, isUnread } });

  it("is not there while nobody asks and nothing is unread", () => {
    assert.equal(badgeOf([]), undefined);
    assert.equal(badgeOf([tab(0, false)]), undefined);
  });

  it("counts chats, not requests, and each of them once", () => {
    assert.deepEqual(badgeOf([tab(3, true), tab(0, false)]), {
      value: 1,
      tooltip: "1 chat is waiting for your answer",
    });
  });

  it("says in words who asks and who is done", () => {
    assert.deepEqual(
      [badgeOf([tab(0, true)]), badgeOf([tab(1, false), tab(2, false), tab(0, true), tab(0, true)])],
      [
        { value: 1, tooltip: "1 finished chat" },
        { value: 4, tooltip: "2 chats are waiting for your answers; 2 finished chats" },
      ],
    );
  });
});
