import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { askProgram } from "../../../src/base/node/ask-program.js";
import { settled } from "../../conductor/chain/chain-fixture.js";
import { bash, logging, withHooks } from "./hook-stage.js";
import { leaveOut } from "../../needs-cargo.js";

const command = (line: string, more: object = {}): object => ({ hooks: [{ type: "command", command: line, ...more }] });
const inProject = (script: string): string => `\${CLAUDE_PROJECT_DIR}/hooks/${script}`;

describe("the program of a hook", function () {
  this.timeout(60_000);

  it("gets the event as one line of JSON, in the session's folder, with the project's folder in its environment", async () => {
    const line = 'cat >> log.jsonl; printf \'{"dir":"%s"}\\n\' "$CLAUDE_PROJECT_DIR" >> log.jsonl';
    await withHooks({ UserPromptSubmit: [command(line)] }, {}, async ({ prompt, logged, folder }) => {
      await prompt("Hello.");
      const [event, environment] = await logged();
      const { session_id, cwd, hook_event_name, prompt: text, ...others } = event ?? {};
      assert.deepEqual(
        { session_id, cwd, hook_event_name, text, others: Object.keys(others), environment },
        {
          session_id: "s",
          cwd: folder,
          hook_event_name: "UserPromptSubmit",
          text: "Hello.",
          others: ["prompt_id"],
          environment: { dir: folder },
        },
      );
    });
  });

  it("is started without a shell if it has a list of arguments", async () => {
    const hook = { type: "command", command: inProject("note.sh"), args: ["a b", "$HOME", "${CLAUDE_PROJECT_DIR}"] };
    const scripts = { "note.sh": '#!/bin/sh\nprintf "%s|" "$@"\n' };
    await withHooks({ UserPromptSubmit: [{ hooks: [hook] }] }, { scripts }, async ({ prompt, prompts, folder }) => {
      await prompt();
      assert.equal(prompts()[0]?.[1], `<symposium-hooks>\na b|$HOME|${folder}|\n</symposium-hooks>`);
    });
  });

  it("decides nothing if it runs too long, writes too much, crashes or is missing; the user reads that once", async () => {
    for (const [line, reason] of [
      ["sleep 600", /did not finish within 0.2 s/],
      ["yes", /wrote more than 1048576 bytes|did not finish/],
      ["kill -SEGV $$", /ended without an exit code|code none/],
      ["/nowhere/hook.sh", /exit code 127: .*\/nowhere\/hook\.sh/],
    ] as const) {
      await withHooks(
        { PreToolUse: [command(line, { timeout: line === "sleep 600" ? 0.2 : 20 })] },
        {},
        async (play) => {
          assert.equal(await play.permission(bash("ls", "1")), "yes");
          assert.equal(await play.permission(bash("ls", "2")), "yes");
          const notices = play.notices();
          assert.equal(notices.length, 1, line);
          assert.match(notices[0] ?? "", reason);
        },
      );
    }
  });

  it("ends with its session, with the programs that it started", async () => {
    const line = 'sleep 600 & echo $! > "$CLAUDE_PROJECT_DIR/child"; wait';
    let child = "";
    await withHooks({ UserPromptSubmit: [command(line)] }, {}, async ({ stage, folder }) => {
      void stage.ask("session/prompt", { sessionId: "s", prompt: [] });
      while (!/\d/.test(child)) child = await readFile(join(folder, "child"), "utf8").catch(() => "");
    });
    const state = async (): Promise<string> => (await askProgram(["ps", "-o", "stat=", "-p", child.trim()])).stdout;
    let last = await state();
    while (/^[^Z\s]/.test(last)) last = await state();
    assert.match(last, /^(?:Z.*)?\s*$/);
  });

  it("may run in the background: what it prints waits for the next prompt", async () => {
    const output = { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "Tests passed." } };
    const line = `cat > /dev/null; while [ ! -e "$CLAUDE_PROJECT_DIR/go" ]; do sleep 0.01; done; echo '${JSON.stringify(output)}'; touch "$CLAUDE_PROJECT_DIR/done"`;
    await withHooks(
      { PostToolUse: [command(line, { async: true })] },
      {},
      async ({ prompt, prompts, update, folder }) => {
        update({ sessionUpdate: "tool_call", status: "completed", ...bash("ls") });
        await prompt("First.");
        await askProgram(["touch", join(folder, "go")]);
        let isThere = false;
        for (let count = 0; !isThere; count++) {
          await settled();
          await prompt(`Again ${count}.`);
          isThere = prompts().at(-1)?.[1]?.includes("Tests passed.") === true;
        }
        assert.deepEqual(prompts()[0], ["First."]);
      },
    );
  });

  it("runs once if two groups contain it, and beside others", async () => {
    const hooks = { UserPromptSubmit: [{ hooks: [logging] }, { hooks: [logging, { ...logging, timeout: 5 }] }] };
    await withHooks(hooks, {}, async ({ prompt, logged }) => {
      await prompt();
      assert.equal((await logged()).length, 2);
    });
  });
});

/** Scripts of Claude Code's hooks reference (code.claude.com/docs/en/hooks), unchanged. */
const documented = {
  "block-rm.sh": `#!/bin/bash
# .claude/hooks/block-rm.sh
COMMAND=$(jq -r '.tool_input.command')

if echo "$COMMAND" | grep -q 'rm -rf'; then
  jq -n '{
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "Destructive command blocked by hook"
    }
  }'
else
  exit 0  # no decision; normal permission flow applies
fi
`,
  "no-rm.sh": `#!/bin/bash
# Reads JSON input from stdin, checks the command
input=$(cat)
command=$(jq -r '.tool_input.command' <<<"$input")

if [[ "$command" == rm* ]]; then
  echo "Blocked: rm commands are not allowed" >&2
  exit 2  # Blocking error: tool call is prevented
fi

exit 0  # No decision: the normal permission flow applies
`,
  "notify.sh": `#!/bin/bash
# Notification hook: ping the desktop when Claude Code needs attention.
input=$(cat)
title="Claude Code"
body=$(jq -r '.message // "Needs your attention"' <<<"$input")
seq=$(printf '\\033]777;notify;%s;%s\\007' "$title" "$body")
jq -nc --arg seq "$seq" '{terminalSequence: $seq}'
`,
};

describe("a script of Claude Code's documentation", function () {
  this.timeout(60_000);
  before(async function () {
    const { fault } = await askProgram(["jq", "--version"]);
    if (fault !== undefined) leaveOut(this, `jq can't run: ${fault}`);
  });

  it("denies what it should deny, as it is configured there", async () => {
    const hook = { type: "command", if: "Bash(rm *)", command: inProject("block-rm.sh"), args: [] };
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] };
    await withHooks(hooks, { scripts: documented }, async ({ permission, notices }) => {
      assert.equal(await permission(bash("rm -rf /tmp/build", "1")), "no");
      assert.equal(await permission(bash("rm file.txt", "2")), "yes");
      assert.equal(await permission(bash("npm test", "3")), "yes");
      assert.deepEqual(notices(), ["A hook denied Bash: Destructive command blocked by hook"]);
    });
  });

  it("denies with exit code 2", async () => {
    const hooks = { PreToolUse: [{ matcher: "Bash", ...command(`"${inProject("no-rm.sh")}"`) }] };
    await withHooks(hooks, { scripts: documented }, async ({ permission, notices }) => {
      assert.deepEqual([await permission(bash("rm x", "1")), await permission(bash("ls", "2"))], ["no", "yes"]);
      assert.deepEqual(notices(), ["A hook denied Bash: Blocked: rm commands are not allowed"]);
    });
  });

  it("may print what only Claude Code's terminal uses", async () => {
    const hooks = { UserPromptSubmit: [command(`"${inProject("notify.sh")}"`)] };
    await withHooks(hooks, { scripts: documented }, async ({ prompt, notices }) => {
      assert.deepEqual([await prompt(), notices()], [{ stopReason: "end_turn" }, []]);
    });
  });
});
