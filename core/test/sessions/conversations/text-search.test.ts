import assert from "node:assert/strict";
import { SessionLines } from "../../../src/sessions/conversations/session-lines.js";
import { TextSearch } from "../../../src/sessions/conversations/text-search.js";

const blocks = (text: string): string => JSON.stringify([{ type: "text", text }]);
const update = (value: object): string => JSON.stringify({ sessionId: "s", update: value });
const chunk = (text: string): string =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

/** A conversation of two turns, and one more that was killed. */
function conversation(): string {
  const lines = new SessionLines();
  const call = {
    sessionUpdate: "tool_call",
    toolCallId: "c",
    title: "Run tests",
    rawInput: { command: "npm run check" },
  };
  return [
    lines.of({ kind: "prompt", at: 1, blocks: blocks('Say "Hello"\nto the World') }),
    ...["The port ", "is 80", "80, I thi", "nk."].map((params) =>
      lines.of({ kind: "update", at: 2, params: chunk(params) }),
    ),
    lines.of({ kind: "end", at: 3, answer: "{}", agent: "a" }),
    lines.of({ kind: "prompt", at: 4, blocks: blocks("Again") }),
    lines.of({ kind: "update", at: 5, params: update(call) }),
    lines.of({ kind: "end", at: 6, answer: "{}", agent: "a" }),
    lines.of({ kind: "prompt", at: 7, blocks: blocks("Last") }),
    ...["Not fin", "ished"].map((params) => lines.of({ kind: "update", at: 8, params: chunk(params) })),
  ].join("");
}

describe("TextSearch", () => {
  const find = (query: string): unknown =>
    new TextSearch(query, 5).hitsIn(conversation(), true).map(({ turn, who, excerpt }) => [turn, who, excerpt]);

  it("finds what was said in pieces, in any case", () => {
    assert.deepEqual(find("PORT is 8080"), [[1, "agent", "The port is 8080, I think."]]);
  });

  it("finds quotation marks and line ends in prompts", () => {
    assert.deepEqual(find('"hello"\nto'), [[1, "user", 'Say "Hello" to the World']]);
  });

  it("finds what tools were given", () => {
    assert.deepEqual(find("npm run CHECK"), [[2, "tool", "Run tests npm run check"]]);
  });

  it("finds what was said last in a turn that was killed", () => {
    assert.deepEqual(find("finished"), [[3, "agent", "Not finished"]]);
  });

  it("finds no words of the file's own, and takes signs for themselves", () => {
    for (const query of ["sessionUpdate", "agent_message_chunk", '"at":', "summary", "p.rt", "(", "[a-z]"]) {
      assert.deepEqual(find(query), [], query);
    }
  });

  it("knows the turn in a later piece of the file", () => {
    const text = conversation();
    const cut = text.indexOf("\n", text.indexOf('"turn":2')) + 1;
    const search = new TextSearch("check", 5);
    assert.deepEqual(search.hitsIn(text.slice(0, cut), false), []);
    assert.deepEqual(
      search.hitsIn(text.slice(cut), true).map(({ turn }) => turn),
      [2],
    );
  });

  it("finds text that is spelled with other escapes", () => {
    const lines = new SessionLines();
    const text = String.raw`a\/b caf\u00e9 \ud83d\ude00`;
    const params = `{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"${text}"}}`;
    const line = lines.of({ kind: "update", at: 1, params });
    const [hit] = new TextSearch("a/b caf\u00e9 \u{1f600}", 5).hitsIn(line, true);
    assert.equal(hit?.excerpt, "a/b caf\u00e9 \u{1f600}");
  });
});

describe("SessionLines", () => {
  it("takes a chunk of millions of escapes", () => {
    const params = chunk("\n".repeat(8_000_000));
    const [, said = ""] = new SessionLines().of({ kind: "update", at: 1, params }).split("\n");
    assert.equal(said.length, params.length + '{"at":1,"said":""}'.length - chunk("").length);
  });
});
