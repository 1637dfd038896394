import assert from "node:assert/strict";
import { startSettingsIn } from "../../../src/app/cli/host-use.js";

describe("the setting `host` as a start reads it", () => {
  it("is found behind comments and before trailing commas", () => {
    const text = `// "host": "off"
{
  /* "host": "off" */
  "agent": "a//b /* c */ ,}", // a comment
  "host": "on",
}`;
    assert.deepEqual(startSettingsIn(text), { host: "on" });
  });

  it("is none in another object", () => {
    assert.deepEqual(startSettingsIn(`{ "env": { "host": "on" } }`), {});
    assert.deepEqual(startSettingsIn(`[{ "host": "on" }]`), {});
  });
});
