import assert from "node:assert/strict";
import { behindOwn, placeInKept } from "../../../src/conductor/choices/stored-session-list.js";
import { Json } from "../../../src/base/rpc/json.js";

const session = (sessionId: string): Json => Json.of({ sessionId });

describe("the list of an agent and of what is kept beside it", () => {
  it("goes on, page by page, in what is kept, without what the agent has listed", () => {
    const page = { sessions: [session("a"), session("k1")], nextCursor: "there" };
    const first = behindOwn(Json.of({ sessions: [] }), [session("a"), session("b")], page, undefined);
    const { nextCursor } = first.object ?? {};
    assert.deepEqual(first.value, {
      sessions: [{ sessionId: "a" }, { sessionId: "b" }, { sessionId: "k1" }],
      nextCursor,
    });
    const place = placeInKept(Json.of({ cwd: "/p", cursor: nextCursor }));
    assert.ok(place);
    assert.deepEqual([place.ownParams.value, place.keptParams.value], [{ cwd: "/p" }, { cwd: "/p", cursor: "there" }]);
    const last = { sessions: [session("k2"), session("b")] };
    const second = behindOwn(Json.of({ sessions: [] }), [session("a"), session("b")], last, place);
    assert.deepEqual(second.value, { sessions: [{ sessionId: "k2" }] });
  });

  it("leaves the agent's own cursors to the agent", () => {
    assert.equal(placeInKept(Json.of({ cursor: "own" })), undefined);
    const answer = Json.of({ sessions: [], nextCursor: "own" });
    assert.deepEqual(behindOwn(answer, [session("a")], undefined, undefined).value, {
      sessions: [{ sessionId: "a" }],
      nextCursor: "own",
    });
  });
});
