import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { currentPlatform } from "../../../src/node/registry/current-platform.js";

describe("currentPlatform", () => {
  it("is this machine's", function () {
    if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) this.skip();
    const isMusl =
      !readdirSync("/lib").some((name) => name.includes("linux-gnu")) &&
      readdirSync("/lib").some((name) => name.startsWith("ld-musl"));
    const architecture = process.arch === "x64" ? "x86_64" : "aarch64";
    assert.equal(currentPlatform().key, `linux-${architecture}${isMusl ? "-musl" : ""}`);
  });
});
