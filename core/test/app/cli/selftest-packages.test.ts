import assert from "node:assert/strict";
import { packageRows } from "../../../src/app/cli/guard/selftest-packages.js";

describe("the attempts of guard selftest to connect by package_fetch", function () {
  this.timeout(300_000);

  it("are all refused", async () => {
    const rows = await packageRows();
    assert.equal(rows.length, 6);
    assert.deepEqual(
      rows.filter(({ result }) => result !== "refused"),
      [],
    );
  });
});
