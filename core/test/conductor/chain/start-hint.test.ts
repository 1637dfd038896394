import assert from "node:assert/strict";
import type { ProcessExit } from "../../../src/base/component-process.js";
import { describeExit, startHint } from "../../../src/conductor/chain/start-hint.js";

const exit = (fields: Partial<ProcessExit>): ProcessExit => ({ code: null, signal: null, stderrTail: "", ...fields });
const hint = (command: string, fields: Partial<ProcessExit>, cwd?: string): string | undefined =>
  startHint({ command, args: [], env: {}, ...(cwd !== undefined && { cwd }) }, exit(fields), "config.jsonc");

describe("describeExit", () => {
  it("says how the component ended", () => {
    const sentences = [{ code: 7 }, { signal: "SIGKILL" }, { startError: "ENOENT" }].map((fields) =>
      describeExit('The agent "opencode"', exit(fields)),
    );
    assert.deepEqual(sentences, [
      'The agent "opencode" exited with code 7.',
      'The agent "opencode" was stopped by SIGKILL.',
      'The agent "opencode" could not be started (ENOENT).',
    ]);
  });
});

describe("startHint", () => {
  it("names the installer of a known launcher that is missing", () => {
    assert.match(hint("npx", { startError: "ENOENT" }) ?? "", /^"npx" is not on PATH\. Install Node\.js 20/);
    assert.match(hint("uvx", { startError: "ENOENT" }) ?? "", /Install uv /);
    assert.match(hint("pipx", { startError: "ENOENT" }) ?? "", /Install pipx /);
  });

  it("tells a program that is not on PATH from a path that is wrong", () => {
    const expected = '"opencode" is not on PATH: install it or give the full path in config.jsonc.';
    assert.equal(hint("opencode", { startError: "ENOENT" }), expected);
    assert.match(hint("/opt/agent", { startError: "ENOENT" }) ?? "", /^"\/opt\/agent" doesn't exist/);
  });

  it("names the place where the user has written the command, and none where that is not known", () => {
    const command = { command: "/opt/agent", args: [], env: {} };
    const hints = ["config.jsonc", "--agent", undefined].map((place) =>
      startHint(command, exit({ startError: "ENOENT" }), place),
    );
    const shared = `"/opt/agent" doesn't exist, or its first line names a missing program. Correct the path`;
    assert.deepEqual(hints, [`${shared} in config.jsonc.`, `${shared} in --agent.`, `${shared}.`]);
  });

  it("names the working folder when that is what is missing", () => {
    assert.match(hint("opencode", { startError: "ENOTDIR" }, "/gone") ?? "", /^The working folder "\/gone"/);
  });

  it("sends to the permissions of a file that may not be executed", () => {
    assert.match(hint("/opt/agent", { startError: "EACCES" }) ?? "", /chmod \+x/);
  });

  const outputs: readonly (readonly [stderrTail: string, expected: RegExp])[] = [
    ["npm error code E404\nnpm error 404 Not Found - GET https://r.example/@x%2fy", /package does not exist/],
    ["npm error code ENOTFOUND\nnpm error request to https://r.example failed", /network is unreachable/],
    ["npm error network timeout at: https://r.example", /network is unreachable/],
    ["npm error code EBADENGINE", /newer Node\.js/],
    ["'uvx' is not recognized as an internal or external command,", /was not found/],
    ["sh: 1: gemini: not found", /was not found/],
    ["Error: You are not logged in. Run `agent login`", /sign in/],
    ["Missing API key", /sign in/],
  ];
  for (const [stderrTail, expected] of outputs) {
    it(`reads ${JSON.stringify(stderrTail)}`, () => assert.match(hint("npx", { code: 1, stderrTail }) ?? "", expected));
  }

  it("explains exit code 127 without output", () => {
    assert.match(hint("run-agent", { code: 127 }) ?? "", /"run-agent" starts was not found/);
  });

  it("says nothing about a failure that it does not know", () => {
    assert.equal(hint("agent", { code: 7, stderrTail: "TypeError: x is undefined\n  at author.js:1" }), undefined);
  });
});
