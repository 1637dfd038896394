import assert from "node:assert/strict";
import { PastCalls } from "../../../src/sessions/conversations/past-calls.js";
import { requestedCommand } from "../../../src/base/safety/requested-command.js";

/** The forms in which agents name a command, and the line that each means. */
const forms: readonly (readonly [unknown, string])[] = [
  [{ command: "rm -rf /w/build" }, "rm -rf /w/build"],
  [{ command: "rm", args: ["-rf", "/w/build"] }, "rm -rf /w/build"],
  [{ command: ["bash", "-lc", "rm -rf /w/build"] }, "rm -rf /w/build"],
  [{ cmd: ["rm", "-rf", "/w/my build"] }, "rm -rf '/w/my build'"],
  [{ script: "rm -rf /w/build", cwd: "/w", env: { A: "1" } }, "rm -rf /w/build"],
];

describe("the command in a tool call", () => {
  for (const [rawInput, line] of forms) {
    it(`is one line for rules, prompts and the transcript: ${JSON.stringify(rawInput)}`, () => {
      const calls = new PastCalls(1, 0);
      calls.take({ toolCallId: "c", kind: "execute", title: "Run", rawInput });
      assert.deepEqual([requestedCommand(rawInput)?.text, calls.all[0]?.command], [line, line]);
    });
  }

  it("comes with its folder and its variables", () => {
    const command = requestedCommand({ command: "ls", cwd: "/w", env: { A: "1" } });
    assert.deepEqual([command?.cwd, command?.variables, command?.isSpecial], ["/w", { A: "1" }, false]);
  });

  it("is special with each member that is not known to describe it or to say how long its agent waits", () => {
    const plain = {
      description: "d",
      timeout: 5,
      timeout_ms: 5,
      run_in_background: true,
      is_background: true,
      reason: "r",
    };
    const more = { sessionId: "a", initial_wait: 5, async: true, requires_approval: true, parsed_cmd: ["x"] };
    assert.equal(requestedCommand({ command: "ls", ...plain, ...more })?.isSpecial, false);
    for (const name of [
      "sandbox_permissions",
      "with_escalated_permissions",
      "dangerouslyDisableSandbox",
      "user",
      "stdin",
    ])
      assert.equal(requestedCommand({ command: "ls", [name]: "x" })?.isSpecial, true, name);
    for (const name of [
      "prefix",
      "wrapper",
      "pre",
      "then",
      "next",
      "login",
      "profile",
      "init",
      "config",
      "flags",
      "mode",
    ])
      assert.equal(requestedCommand({ command: "ls", [name]: "x" })?.isSpecial, true, name);
  });
});
