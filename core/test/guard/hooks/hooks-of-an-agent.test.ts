import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { Outcome } from "../../../src/base/rpc/message.js";
import { optionOf } from "../../../src/guard/permission-options.js";
import type { Proxy } from "../../../src/conductor/chain/proxy.js";
import { settled } from "../../conductor/chain/chain-fixture.js";
import { bash, logging, withHooks } from "./hook-stage.js";

const command = (line: string, more: object = {}): object => ({ hooks: [{ type: "command", command: line, ...more }] });
const printing = (output: object): object => command(`cat <<'END'\n${JSON.stringify(output)}\nEND`);
const specific = (hookEventName: string, members: object): object =>
  printing({ hookSpecificOutput: { hookEventName, ...members } });

const answeringRules = (kind: "allow_once" | "reject_once"): Proxy => ({
  name: "rules",
  connect: () => ({
    agentRequests: {
      "session/request_permission": (request, reply) => {
        reply(Outcome.of({ outcome: { outcome: "selected", optionId: optionOf(request, kind) } }));
        return undefined;
      },
    },
  }),
});

describe("an agent with hooks", function () {
  this.timeout(60_000);

  it("gets what SessionStart prints with its first prompt", async () => {
    const hooks = { SessionStart: [{ matcher: "startup", ...command("echo On branch main.") }] };
    await withHooks(hooks, {}, async ({ prompt, prompts }) => {
      await prompt("First.");
      await prompt("Second.");
      const marked = "<symposium-hooks>\nOn branch main.\n</symposium-hooks>";
      assert.deepEqual(prompts(), [["First.", marked], ["Second."]]);
    });
  });

  it("doesn't get a prompt that UserPromptSubmit blocks, and the user reads why", async () => {
    const hooks = {
      UserPromptSubmit: [command('grep -q secret && { echo "Contains a secret." >&2; exit 2; }; exit 0')],
    };
    await withHooks(hooks, {}, async ({ prompt, prompts, notices }) => {
      assert.deepEqual(await prompt("The secret is 1."), { stopReason: "refusal" });
      assert.deepEqual(await prompt("Go."), { stopReason: "end_turn" });
      assert.deepEqual([prompts(), notices()], [[["Go."]], ["A hook blocked this prompt: Contains a secret."]]);
    });
  });

  it("gets the context that UserPromptSubmit adds", async () => {
    const hooks = { UserPromptSubmit: [specific("UserPromptSubmit", { additionalContext: "It is Monday." })] };
    await withHooks(hooks, {}, async ({ prompt, prompts }) => {
      await prompt();
      assert.deepEqual(prompts(), [["Go.", "<symposium-hooks>\nIt is Monday.\n</symposium-hooks>"]]);
    });
  });

  it("isn't allowed a command that PreToolUse denies, even if a rule allows it", async () => {
    const deny = specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "No pushes." });
    const hooks = { PreToolUse: [{ matcher: "Bash", ...deny }] };
    await withHooks(
      hooks,
      { between: answeringRules("allow_once") },
      async ({ permission, prompt, prompts, notices }) => {
        assert.equal(await permission(bash("git push")), "no");
        assert.equal(
          await permission({ toolCallId: "d", title: "Read it", kind: "read", rawInput: { path: "x" } }),
          "yes",
        );
        await prompt();
        assert.deepEqual(notices(), ["A hook denied Bash: No pushes."]);
        assert.match(prompts()[0]?.[1] ?? "", /A hook denied Bash: No pushes\./);
      },
    );
  });

  it("is allowed a command by PreToolUse without asking, unless a rule denies it", async () => {
    const hooks = { PreToolUse: [specific("PreToolUse", { permissionDecision: "allow" })] };
    await withHooks(hooks, { client: { permits: "reject_once" } }, async ({ permission, stage }) => {
      assert.equal(await permission(bash("ls")), "yes");
      assert.equal(stage.client.received.filter(({ method }) => method === "session/request_permission").length, 0);
    });
    await withHooks(hooks, { between: answeringRules("reject_once") }, async ({ permission }) => {
      assert.equal(await permission(bash("ls")), "no");
    });
  });

  it("is allowed several edits only if PreToolUse allows each", async () => {
    const allow = specific("PreToolUse", { permissionDecision: "allow" }) as { readonly hooks: readonly object[] };
    const content = ["a.txt", "b.txt"].map((path) => ({ type: "diff", path, oldText: "1", newText: "2" }));
    for (const [more, chosen] of [
      [{ if: "Edit(a.txt)" }, "no"],
      [{}, "yes"],
    ] as const) {
      const hooks = { PreToolUse: [{ hooks: allow.hooks.map((one) => ({ ...one, ...more })) }] };
      await withHooks(hooks, { client: { permits: "reject_once" } }, async ({ permission }) => {
        assert.equal(await permission({ toolCallId: "e", title: "patch", kind: "edit", content }), chosen);
      });
    }
  });

  it("has the user asked where PreToolUse says so, or wants to change the input", async () => {
    const changing = { permissionDecision: "allow", updatedInput: { command: "true" } };
    for (const wanted of [{ permissionDecision: "ask" }, changing]) {
      await withHooks({ PreToolUse: [specific("PreToolUse", wanted)] }, {}, async ({ permission, stage }) => {
        assert.equal(await permission(bash("ls")), "yes");
        const [asked] = stage.client.received.filter(({ method }) => method === "session/request_permission");
        assert.deepEqual(asked?.params?.object?.["_meta"], { "symposium/mustAsk": true });
      });
    }
  });

  it("runs PreToolUse once for a call that it announces before it asks", async () => {
    await withHooks({ PreToolUse: [{ hooks: [logging] }] }, {}, async ({ permission, update, prompt, logged }) => {
      update({ sessionUpdate: "tool_call", status: "in_progress", ...bash("ls") });
      await permission(bash("ls"));
      update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" });
      await prompt();
      assert.deepEqual(
        (await logged()).map(({ tool_name, tool_input, tool_use_id }) => [tool_name, tool_input, tool_use_id]),
        [["Bash", { command: "ls" }, "c"]],
      );
    });
  });

  it("runs PreToolUse again for an input that has changed since", async () => {
    await withHooks({ PreToolUse: [{ hooks: [logging] }] }, {}, async ({ permission, update, prompt, logged }) => {
      update({ sessionUpdate: "tool_call", status: "in_progress", ...bash("ls") });
      await permission(bash("rm -rf x"));
      await prompt();
      const inputs = (await logged()).map(({ tool_input }) => JSON.stringify(tool_input));
      assert.deepEqual(inputs.sort(), ['{"command":"ls"}', '{"command":"rm -rf x"}']);
    });
  });

  it("is only watched where it doesn't ask, and the user reads what would have been denied", async () => {
    const hooks = { PreToolUse: [{ matcher: "Bash", ...command("echo No lists. >&2; exit 2") }] };
    await withHooks(hooks, {}, async ({ update, prompt, notices }) => {
      update({ sessionUpdate: "tool_call", status: "pending", ...bash("ls") });
      update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" });
      await prompt();
      assert.deepEqual(notices(), ["A hook would deny Bash, but the agent didn't ask: No lists."]);
    });
  });

  it("gets PostToolUse's feedback with its next prompt; the hook got the result", async () => {
    const feedback = printing({ decision: "block", reason: "Run the formatter." });
    const hooks = {
      PostToolUse: [
        { matcher: "Write|Edit", hooks: [logging] },
        { matcher: "Edit", ...feedback },
      ],
    };
    await withHooks(hooks, {}, async ({ update, prompt, prompts, logged, folder }) => {
      const diff = { type: "diff", path: "a.txt", oldText: "a", newText: "b" };
      update({
        sessionUpdate: "tool_call",
        toolCallId: "e",
        title: "Edit a.txt",
        kind: "edit",
        status: "pending",
        content: [diff],
      });
      update({ sessionUpdate: "tool_call_update", toolCallId: "e", status: "completed" });
      await prompt();
      assert.match(prompts()[0]?.[1] ?? "", /Run the formatter\./);
      assert.deepEqual(
        (await logged()).map(({ hook_event_name, tool_name, tool_input, tool_response, cwd }) => [
          hook_event_name,
          tool_name,
          tool_input,
          tool_response,
          cwd,
        ]),
        [
          [
            "PostToolUse",
            "Edit",
            { file_path: `${folder}/a.txt`, old_string: "a", new_string: "b" },
            { filePath: `${folder}/a.txt`, success: true },
            folder,
          ],
        ],
      );
    });
  });

  it("is answered by PermissionRequest for the user, unless a rule requires the user", async () => {
    const decision = { behavior: "deny", message: "Not on Fridays." };
    const hooks = { PermissionRequest: [{ matcher: "Bash", ...specific("PermissionRequest", { decision }) }] };
    await withHooks(hooks, {}, async ({ permission, agent, notices }) => {
      assert.equal(await permission(bash("ls")), "no");
      assert.deepEqual(notices(), ["A hook denied this: Not on Fridays."]);
      const own = { sessionId: "s", toolCall: bash("ls"), options: [{ optionId: "y", kind: "allow_once" }] };
      const asked = await agent.ask("session/request_permission", { ...own, _meta: { "symposium/ownAnswers": true } });
      assert.deepEqual(asked.json.object?.["outcome"], { outcome: "selected", optionId: "y" });
    });
  });

  it("goes on when Stop blocks, with the reason as its prompt, and the hook knows that", async () => {
    const line =
      'input=$(cat); echo "$input" >> "$CLAUDE_PROJECT_DIR/log.jsonl"; case "$input" in *\'"stop_hook_active":true\'*) exit 0;; esac; echo Run the tests. >&2; exit 2';
    await withHooks(
      { Stop: [command(line)] },
      { answers: { "session/prompt": { stopReason: "end_turn", usage: { inputTokens: 1 } } } },
      async ({ prompt, prompts, logged, notices }) => {
        assert.deepEqual(await prompt(), { stopReason: "end_turn", usage: { inputTokens: 2 } });
        assert.deepEqual(prompts(), [["Go."], ["Run the tests."]]);
        assert.deepEqual(
          (await logged()).map(({ stop_hook_active }) => stop_hook_active),
          [false, true],
        );
        assert.deepEqual(notices(), ["A Stop hook continues the turn: Run the tests."]);
      },
    );
  });

  it("ends after eight continuations that Stop wants", async () => {
    await withHooks({ Stop: [command("echo More. >&2; exit 2")] }, {}, async ({ prompt, prompts }) => {
      assert.deepEqual(await prompt(), { stopReason: "end_turn" });
      assert.equal(prompts().length, 9);
    });
  });

  const hanging = command('touch "$CLAUDE_PROJECT_DIR/started"; sleep 600');
  const isStarted = async (folder: string): Promise<void> => {
    while (!(await readdir(folder)).includes("started")) await settled();
  };

  it("doesn't get a prompt that the user cancels while hooks run", async () => {
    for (const event of ["UserPromptSubmit", "SessionStart"]) {
      await withHooks({ [event]: [hanging] }, {}, async ({ stage, prompt, prompts, folder }) => {
        const answer = prompt();
        await isStarted(folder);
        stage.notify("session/cancel", { sessionId: "s" });
        assert.deepEqual([await answer, prompts()], [{ stopReason: "cancelled" }, []], event);
      });
    }
  });

  it("has its permission requests cancelled with the turn, even those that hooks are judging", async () => {
    for (const event of ["PreToolUse", "PermissionRequest"]) {
      const answers = { "session/prompt": () => undefined };
      await withHooks({ [event]: [hanging] }, { answers }, async ({ stage, agent, prompt, permission, folder }) => {
        const answer = prompt();
        await agent.peer.waitFor("session/prompt");
        const asked = permission(bash("ls", "1"));
        await isStarted(folder);
        stage.notify("session/cancel", { sessionId: "s" });
        assert.deepEqual([await asked, await permission(bash("ls", "2"))], ["cancelled", "cancelled"], event);
        assert.ok(stage.client.received.every(({ method }) => method !== "session/request_permission"));
        agent.peer.open[0]?.reply(Outcome.of({ stopReason: "cancelled" }));
        assert.deepEqual(await answer, { stopReason: "cancelled" });
      });
    }
  });

  it("ends its turn without waiting for Stop hooks when the user cancels", async () => {
    await withHooks({ Stop: [hanging] }, {}, async ({ stage, prompt, folder }) => {
      const answer = prompt();
      await isStarted(folder);
      stage.notify("session/cancel", { sessionId: "s" });
      assert.deepEqual(await answer, { stopReason: "end_turn" });
    });
  });

  it("isn't continued by Stop after the user has cancelled", async () => {
    const answers = { "session/prompt": { stopReason: "cancelled" } };
    await withHooks({ Stop: [{ hooks: [logging] }] }, { answers }, async ({ prompt, logged }) => {
      assert.deepEqual([await prompt(), await logged()], [{ stopReason: "cancelled" }, []]);
    });
  });

  it("raises SubagentStop when its sub-agent has ended", async () => {
    await withHooks({ SubagentStop: [{ hooks: [logging] }] }, {}, async ({ update, prompt, logged }) => {
      const content = [{ type: "content", content: { type: "text", text: "Found it." } }];
      const rawInput = { prompt: "Look.", subagent_type: "Explore" };
      update({
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "task",
        kind: "think",
        rawInput,
        content,
        status: "completed",
      });
      await prompt();
      const [event] = await logged();
      assert.deepEqual([event?.["agent_type"], event?.["last_assistant_message"]], ["Explore", "Found it."]);
    });
  });

  it("raises Notification for a question that stays unanswered, and after a turn", async () => {
    const answers = { "session/request_permission": () => undefined };
    const options = { questionMs: 1, idleMs: 1, client: { answers } };
    const line =
      'cat >> "$CLAUDE_PROJECT_DIR/log.jsonl"; kill -USR2 $(cat "$CLAUDE_PROJECT_DIR/pid") 2>/dev/null; exit 0';
    await withHooks({ Notification: [command(line)] }, options, async ({ permission, prompt, logged, folder }) => {
      const { writeFile } = await import("node:fs/promises");
      await writeFile(`${folder}/pid`, String(process.pid));
      const heard = (): Promise<void> => new Promise((resolve) => process.once("SIGUSR2", () => resolve()));
      let next = heard();
      void permission(bash("ls"));
      await next;
      next = heard();
      await prompt();
      await next;
      assert.deepEqual(
        (await logged()).map(({ notification_type }) => notification_type),
        ["permission_prompt", "idle_prompt"],
      );
    });
  });

  it("raises SessionEnd when its session is closed", async () => {
    const answers = { "session/close": {} };
    for (const hook of [logging, { ...logging, command: `sleep 0.1; ${logging.command}`, async: true }]) {
      const hooks = { SessionEnd: [{ matcher: "other", hooks: [hook] }] };
      await withHooks(hooks, { answers }, async ({ stage, logged }) => {
        await stage.result("session/close", { sessionId: "s" });
        await stage[Symbol.asyncDispose]();
        assert.deepEqual(
          (await logged()).map(({ hook_event_name, reason }) => [hook_event_name, reason]),
          [["SessionEnd", "other"]],
        );
      });
    }
  });

  it("ends its turn when a hook says that it shouldn't continue", async () => {
    const hooks = { PreToolUse: [printing({ continue: false, stopReason: "Build failed." })] };
    await withHooks(hooks, {}, async ({ permission, agent, notices }) => {
      assert.equal(await permission(bash("ls")), "no");
      assert.ok(agent.peer.received.some(({ method }) => method === "session/cancel"));
      assert.deepEqual(notices(), ["A hook stopped the agent: Build failed."]);
    });
  });

  it("leaves imported hooks to Claude Code, and runs them for other agents", async () => {
    const hooks = { UserPromptSubmit: [{ importedFrom: "claude-code", ...command("echo Hello.") }] };
    for (const [agentName, count] of [
      ["claude-agent-acp", 1],
      ["opencode", 2],
    ] as const) {
      await withHooks(hooks, { agentName }, async ({ prompt, prompts }) => {
        await prompt();
        assert.equal(prompts()[0]?.length, count, agentName);
      });
    }
  });

  it("gets no message later or changed in a session without hooks", async () => {
    await withHooks({}, {}, async ({ permission, prompt, prompts }) => {
      assert.deepEqual(
        [await permission(bash("ls")), await prompt(), prompts()],
        ["yes", { stopReason: "end_turn" }, [["Go."]]],
      );
    });
  });
});
