import assert from "node:assert/strict";
import fc from "fast-check";
import { Backlog, type Piece } from "../../src/models/backlog.js";

describe("what an agent says while nobody listens", () => {
  function kept(pieces: readonly Piece[]): string {
    return pieces.map((piece) => (piece.kind === "image" ? "" : piece.text)).join("");
  }

  it("is kept in order, texts of one kind in one piece", () => {
    const backlog = new Backlog();
    for (const text of ["a", "b"]) backlog.push({ kind: "content", text });
    backlog.push({ kind: "reasoning", text: "c" });
    backlog.push({ kind: "image", mimeType: "image/png", data: "aGk=" });
    backlog.push({ kind: "content", text: "d" });
    assert.deepEqual(backlog.take(), [
      { kind: "content", text: "ab" },
      { kind: "reasoning", text: "c" },
      { kind: "image", mimeType: "image/png", data: "aGk=" },
      { kind: "content", text: "d" },
    ]);
    assert.deepEqual(backlog.take(), []);
  });

  it("loses its middle beyond the limit, and says how much", () => {
    const backlog = new Backlog(10);
    for (const text of ["aaa", "bb", "ccc", "ddd", "ee"]) backlog.push({ kind: "content", text });
    assert.equal(
      kept(backlog.take()),
      "aaabb\n\n[3 characters omitted: the agent wrote more than is stored between requests.]\n\ndddee",
    );
  });

  it("never takes more than the limit, and begins and ends as it was said", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 4 })), (texts) => {
        const backlog = new Backlog(20);
        for (const text of texts) backlog.push({ kind: "content", text });
        const whole = texts.join("");
        const said = kept(backlog.take()).replace(/\n\n\[\d+ characters omitted.*\]\n\n/, "\0");
        if (whole.length <= 20 - 4) assert.equal(said, whole);
        const [head = "", tail = ""] = said.split("\0");
        assert.ok(head.length + tail.length <= 20);
        assert.ok(whole.startsWith(head) && whole.endsWith(tail));
      }),
    );
  });
});
