import assert from "node:assert/strict";
import fc from "fast-check";
import { type ConversationMessage, normalisedMessages } from "../../src/models/conversation-message.js";
import { type DigestedHistory, historyDigest, SessionHistory } from "../../src/models/session-history.js";

function digested(messages: readonly ConversationMessage[]): DigestedHistory {
  const normalised = normalisedMessages(messages);
  return { messages: normalised, digest: historyDigest(normalised) };
}

function say(role: "user" | "assistant", ...texts: readonly string[]): ConversationMessage {
  return { role, parts: texts.map((text) => ({ kind: "text", text })) };
}

const user = (...texts: readonly string[]): ConversationMessage => say("user", ...texts);
const assistant = (...texts: readonly string[]): ConversationMessage => say("assistant", ...texts);

function calling(text: string, ...ids: readonly string[]): ConversationMessage {
  const calls = ids.map((id) => ({ kind: "call", id, name: "n", args: {} }) as const);
  return { role: "assistant", parts: [{ kind: "text", text }, ...calls] };
}

describe("the history of a session", () => {
  let history: SessionHistory;
  beforeEach(() => {
    history = new SessionHistory();
  });

  function exchange(messages: readonly ConversationMessage[], text: string, isPartial = false): void {
    history.requested(digested(messages));
    history.answered({ text, callIds: [], isPartial });
  }

  it("is nobody's before anything was asked", () => {
    assert.deepEqual(history.match(digested([user("a")])), { kind: "differs" });
  });

  it("is extended by what follows the answer, however the client has cut and trimmed that", () => {
    exchange([user("a")], "It is  one.\n");
    for (const told of [
      [assistant("It is one.")],
      [assistant("It is", " one. ")],
      [assistant("It is "), assistant("one.")],
      [assistant("It is "), user(""), assistant("one.")],
    ]) {
      const found = history.match(digested([user("a"), ...told, user("b")]));
      assert.deepEqual(found, { kind: "extends", from: 2, isProven: true });
    }
  });

  it("differs where an earlier message, or the answer, was edited", () => {
    exchange([user("a")], "One.");
    assert.deepEqual(history.match(digested([user("A"), assistant("One."), user("b")])), { kind: "differs" });
    assert.deepEqual(history.match(digested([user("a"), assistant("Two."), user("b")])), { kind: "differs" });
  });

  it("is rejected from the last message on that the client had acknowledged", () => {
    exchange([user("a")], "One.");
    exchange([user("a"), assistant("One."), user("b")], "Two.");
    const found = history.match(digested([user("a"), assistant("One."), user("c")]));
    assert.deepEqual(found, { kind: "rejects", from: 2 });
  });

  it("takes the beginning of an answer that was given up for all of it, or nothing", () => {
    exchange([user("a")], "One two three", true);
    assert.deepEqual(history.match(digested([user("a"), assistant("One two"), user("b")])), {
      kind: "extends",
      from: 2,
      isProven: true,
    });
    assert.deepEqual(history.match(digested([user("a"), user("b")])), { kind: "extends", from: 1, isProven: false });
    assert.deepEqual(history.match(digested([user("a"), assistant("Two"), user("b")])), { kind: "differs" });
  });

  it("knows an answer by its calls, whatever became of its words", () => {
    history.requested(digested([user("a")]));
    history.answered({ text: "I look. ", callIds: ["1", "2"], isPartial: false });
    const result: ConversationMessage = {
      role: "user",
      parts: [{ kind: "result", id: "1", result: { content: [] } }],
    };
    assert.deepEqual(history.match(digested([user("a"), calling("edited", "1", "2"), result])), {
      kind: "extends",
      from: 2,
      isProven: true,
    });
    assert.deepEqual(history.match(digested([user("a"), calling("I look.", "3"), result])), { kind: "differs" });
  });

  it("is told from every other one by its digest, message by message", () => {
    const text = fc.string({ maxLength: 3 });
    const aMessage = fc.tuple(fc.constantFrom("user" as const, "assistant" as const), fc.array(text, { maxLength: 3 }));
    const aHistory = fc.array(
      aMessage.map(([role, texts]) => say(role, ...texts)),
      { maxLength: 6 },
    );
    const plain = ({ messages }: DigestedHistory, length: number): string =>
      JSON.stringify(
        messages.slice(0, length).map(({ role, parts }) => [
          role,
          parts
            .map((part) => (part.kind === "text" ? part.text : ""))
            .join("")
            .trim(),
        ]),
      );
    fc.assert(
      fc.property(aHistory, aHistory, (first, second) => {
        const [one, other] = [digested(first), digested(second)];
        for (let length = 0; length <= Math.min(one.messages.length, other.messages.length); length++) {
          assert.equal(one.digest[length] === other.digest[length], plain(one, length) === plain(other, length));
        }
      }),
    );
  });

  it("is followed through any conversation whose client sends back what it was told", () => {
    const text = fc.string({ minLength: 1, maxLength: 8 }).filter((said) => said.trim() !== "");
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, fc.nat(8), fc.boolean()), { maxLength: 12 }), (turns) => {
        const followed = new SessionHistory();
        const messages: ConversationMessage[] = [];
        for (const [asked, told, cut, isPartial] of turns) {
          messages.push(user(asked));
          const now = digested(messages);
          if (messages.length > 1) {
            const match = followed.match(now);
            assert.ok(match.kind === "extends");
            assert.deepEqual(now.messages.slice(match.from), [now.messages.at(-1)]);
          }
          followed.requested(now);
          followed.answered({ text: told, callIds: [], isPartial });
          const kept = isPartial ? told.slice(0, cut) : told;
          if (kept.trim() !== "") messages.push(assistant(kept));
        }
      }),
    );
  });
});
