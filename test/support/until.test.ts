import assert from "node:assert/strict";
import { scaledMs, until } from "./until.js";

describe("waiting in tests", () => {
  const slowness = process.env["SYMPOSIUM_TEST_SLOWNESS"];
  afterEach(() => {
    if (slowness === undefined) delete process.env["SYMPOSIUM_TEST_SLOWNESS"];
    else process.env["SYMPOSIUM_TEST_SLOWNESS"] = slowness;
  });

  it("multiplies limits by the slowness of the machine, and never shortens them", () => {
    const limits = ["2.5", "1.1", "0.1", "fast", ""].map((factor) => {
      process.env["SYMPOSIUM_TEST_SLOWNESS"] = factor;
      return scaledMs(100);
    });
    assert.deepEqual(limits, [250, 110, 100, 100, 100]);
  });

  it("reports the scaled limit in seconds and the last value", async () => {
    process.env["SYMPOSIUM_TEST_SLOWNESS"] = "2";
    await assert.rejects(
      until(
        () => "no",
        (answer) => answer === "yes",
        5,
      ),
      /^Error: Not as wanted after 0\.01 s, but 'no': .*answer === "yes"$/,
    );
  });
});
