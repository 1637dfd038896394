import assert from "node:assert/strict";
import { UpdateLog } from "../../../src/sessions/host/update-log.js";

describe("the log of a session's updates", () => {
  it("forgets whole turns above its limit, and keeps the places of the others", () => {
    const log = new UpdateLog(30);
    for (const name of ["a", "b", "c"]) {
      log.append(`${name}-prompt..`, { beginsTurn: true });
      log.append(`${name}-update`);
    }
    assert.deepEqual([log.first, log.end], [4, 6]);
    assert.deepEqual([log.at(3), log.at(4)?.params, log.at(5)?.params], [undefined, "c-prompt..", "c-update"]);
  });

  it("forgets the beginning of a turn that is longer than its limit", () => {
    const log = new UpdateLog(40);
    for (let count = 0; count < 10; count++) log.append("0123456789");
    assert.deepEqual([log.end, log.end - log.first <= 4, log.at(9)?.params], [10, true, "0123456789"]);
  });
});
