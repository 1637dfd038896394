import assert from "node:assert/strict";
import { joined, noAnswer, readAnswer } from "../../../src/guard/hooks/hook-answer.js";
import type { HookEvent } from "../../../src/settings/hooks.js";

const read = (event: HookEvent, code: number, stdout = "", stderr = "") => readAnswer(event, { code, stdout, stderr });

describe("the answer of a hook", () => {
  it("is a denial with exit code 2, whatever its JSON says", () => {
    const allow = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}';
    for (const event of ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop", "SubagentStop"] as const) {
      assert.deepEqual(read(event, 2, "", "No.\n"), { ...noAnswer, decision: "deny", reason: "No." });
    }
    assert.deepEqual(read("PreToolUse", 2, allow, "No."), { ...noAnswer, decision: "deny", reason: "No." });
  });

  it("can't block with exit code 2 where Claude Code doesn't let it", () => {
    assert.deepEqual(read("Notification", 2, "", "No."), noAnswer);
    assert.deepEqual(read("PostToolUse", 2, "", "Lint."), { ...noAnswer, context: ["Lint."] });
    assert.deepEqual(read("SessionStart", 2, "", "Broken."), { ...noAnswer, failures: ["Broken."] });
  });

  it("is its JSON with any other exit code, and a failure without JSON", () => {
    const block = '{"decision": "block", "reason": "Tests fail."}';
    assert.deepEqual(read("Stop", 1, block), { ...noAnswer, decision: "deny", reason: "Tests fail." });
    assert.deepEqual(read("PreToolUse", 1, "x", "no such file\nmore"), {
      ...noAnswer,
      failures: ["exit code 1: no such file"],
    });
    assert.deepEqual(readAnswer("PreToolUse", { stdout: block, stderr: "", fault: "it did not finish within 1 s" }), {
      ...noAnswer,
      failures: ["it did not finish within 1 s"],
    });
  });

  it("is context as plain text for two events only", () => {
    assert.deepEqual(read("SessionStart", 0, "On main.\n").context, ["On main."]);
    assert.deepEqual(read("UserPromptSubmit", 0, "{broken").context, ["{broken"]);
    assert.deepEqual(read("PreToolUse", 0, "On main."), noAnswer);
  });

  it("decides nothing if the JSON isn't valid, but still blocks with exit code 2", () => {
    const other = '{"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "allow"}}';
    const unknown = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "maybe"}}';
    for (const text of [other, unknown, '{"continue": "no"}', '{"hookSpecificOutput": []}', '{"reason": 1}']) {
      const answer = read("PreToolUse", 0, text);
      assert.deepEqual([answer.decision, answer.failures.length], [undefined, 1], text);
    }
    assert.deepEqual(read("PreToolUse", 2, other, "No."), { ...noAnswer, decision: "deny", reason: "No." });
  });

  it("may have the forms of earlier versions of Claude Code", () => {
    assert.equal(read("PreToolUse", 0, '{"decision": "approve"}').decision, "allow");
    assert.equal(read("PreToolUse", 0, '{"decision": "block", "reason": "x"}').decision, "deny");
  });

  it("is shortened, so that a hook can't fill the model's context", () => {
    assert.equal(read("SessionStart", 0, "x".repeat(50_000)).context[0]?.length, 10_001);
  });

  it("is the strictest of several", () => {
    const allow = { ...noAnswer, decision: "allow", reason: "a" } as const;
    const ask = { ...noAnswer, decision: "ask", reason: "b", context: ["c"] } as const;
    assert.deepEqual(joined([allow, ask, noAnswer]), ask);
    assert.deepEqual(joined([ask, { ...noAnswer, decision: "deny", reason: "d" }]), {
      ...noAnswer,
      decision: "deny",
      reason: "d",
      context: ["c"],
    });
  });
});
