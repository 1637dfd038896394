import assert from "node:assert/strict";
import { isSingleExecutable } from "../../../src/base/node/own-program.js";

describe("isSingleExecutable", () => {
  it("knows a program whose script is inside of it", () => {
    const scripts = [
      "/$bunfs/root/symposium-acp-agent",
      "B:\\~BUN\\root\\symposium-acp-agent.exe",
      "B:/~BUN/root/a.exe",
    ];
    assert.deepEqual(
      scripts.map((script) => isSingleExecutable(script)),
      [true, true, true],
    );
  });

  it("takes every script on a disk for one of Node", () => {
    const scripts = ["/usr/lib/symposium-acp-agent.mjs", "C:\\tools\\symposium-acp-agent.mjs", "/home/me/$bunfs/a.mjs"];
    assert.deepEqual(
      scripts.map((script) => isSingleExecutable(script)),
      [false, false, false],
    );
  });
});
