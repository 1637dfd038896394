import assert from "node:assert/strict";
import {
  conversationOf,
  participantMessages,
  toolTitles,
} from "../../../src/features/language-model/participant-messages.js";

const asked = (prompt: string, ...values: unknown[]) => ({ prompt, references: values.map((value) => ({ value })) });
const answered = (conversationId: unknown, ...values: unknown[]) => ({
  response: values.map((value) => ({ value })),
  result: { metadata: { conversationId } },
});

describe("a chat with the participant", () => {
  it("is told as messages, with its answers put together", async () => {
    const history = [asked("Hello"), answered("c", { value: "Hi" }, { value: " there" }, 7)];
    assert.deepEqual(await participantMessages(history, asked("And now?")), [
      { role: "user", content: [{ type: "text", value: "Hello" }] },
      { role: "assistant", content: [{ type: "text", value: "Hi there" }] },
      { role: "user", content: [{ type: "text", value: "And now?" }] },
    ]);
  });

  it("names what the user attached", async () => {
    const file = { fsPath: "/project/a.ts" };
    const place = { uri: file, range: { start: { line: 4 }, end: { line: 8 } } };
    const [message] = await participantMessages([], asked("Explain", file, place, "some words", { odd: 1 }));
    assert.deepEqual(message?.content, [
      {
        type: "text",
        value: "Explain\n\nAttached:\n- /project/a.ts\n- /project/a.ts, lines 5 to 9\n- some words",
      },
    ]);
  });

  it("has the images that the user attached, and says which cannot be read", async () => {
    const image = { mimeType: "image/png", data: () => Promise.resolve(new Uint8Array([1, 2, 255])) };
    const gone = { mimeType: "image/png", data: () => Promise.reject(new Error("It is gone.")) };
    const [message] = await participantMessages([], asked("Look", image, gone));
    assert.deepEqual(message?.content, [
      { type: "text", value: "Look" },
      { type: "data", mimeType: "image/png", data: "AQL/" },
      { type: "text", value: "\n\n[Can't read an attachment: It is gone.]" },
    ]);
  });

  it("leaves out what the editor attaches to everything, which only its own tools reach", async () => {
    const index = { id: "vscode.customizations.index", value: "<skills>...</skills>" };
    const [message] = await participantMessages([], { prompt: "Explain", references: [index] });
    assert.deepEqual(message?.content, [{ type: "text", value: "Explain" }]);
  });

  it("tells which tools the agent uses", () => {
    assert.deepEqual(toolTitles("\n[Read a.ts]\n"), ["Read a.ts"]);
    assert.deepEqual(toolTitles("I look at a[0] and [b]."), []);
  });

  it("is known again by what its last answer carries", () => {
    assert.equal(conversationOf([asked("a"), answered("one"), asked("b"), answered("two"), asked("c")]), "two");
    assert.equal(conversationOf([asked("a"), answered(undefined)]), undefined);
  });
});
