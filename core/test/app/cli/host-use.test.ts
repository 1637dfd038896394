import assert from "node:assert/strict";
import { hostUseIn } from "../../../src/app/cli/host-use.js";

describe("the setting `host` as a start reads it", () => {
  it("is found behind comments and before trailing commas", () => {
    const text = `// "host": "off"
{
  /* "host": "off" */
  "agent": "a//b /* c */ ,}", // a comment
  "host": "on",
}`;
    assert.equal(hostUseIn(text), "on");
  });

  it("is none in another object", () => {
    assert.equal(hostUseIn(`{ "env": { "host": "on" } }`), undefined);
    assert.equal(hostUseIn(`[{ "host": "on" }]`), undefined);
  });
});
