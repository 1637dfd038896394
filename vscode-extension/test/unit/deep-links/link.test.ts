import assert from "node:assert/strict";
import { readLink } from "../../../src/features/deep-links/link.js";

function reasonOf(path: string, query: string): string {
  const link = readLink(path, query);
  return link.kind === "refused" ? link.reason : assert.fail(JSON.stringify(link));
}

describe("a link to the extension", () => {
  it("has a prompt, whose text is all that follows", () => {
    assert.deepEqual(readLink("/prompt", "text=Fix a & b=c, 100 % of it\n"), {
      kind: "prompt",
      text: "Fix a & b=c, 100 % of it",
    });
    assert.deepEqual(readLink("/prompt/", "from=somewhere&text=Go"), { kind: "prompt", text: "Go" });
  });

  it("has the id of a session", () => {
    assert.deepEqual(readLink("/session", "id=abc-1&x=y"), { kind: "session", id: "abc-1" });
  });

  it("is refused with what is possible where it is anything else", () => {
    for (const [path, query] of [
      ["/frob", "text=x"],
      ["", ""],
      ["/prompt", "text= "],
      ["/session", "id="],
    ] as const) {
      assert.match(reasonOf(path, query), /\/prompt\?text=… and \/session\?id=…/);
    }
    assert.match(reasonOf("/prompt", `text=${"x".repeat(8_001)}`), /has 8001 characters; the limit is 8000/);
    assert.match(reasonOf("/session", `id=${"x".repeat(201)}`), /isn't a valid session ID/);
    assert.match(reasonOf("/session", "id=a\u202eb"), /isn't a valid session ID/);
    assert.match(reasonOf(`/${"\u202ex".repeat(90)}`, ""), /path "\/(?:\?x){29}\?…" is unknown/);
  });
});
