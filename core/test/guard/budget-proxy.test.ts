import assert from "node:assert/strict";
import type { Budget } from "../../src/guard/budget.js";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { Notification, Outcome } from "../../src/base/rpc/message.js";
import { call, cancelled, done, noon, type Turn, until, withBudgets } from "./budget-stage.js";

const rejecting = { client: { permits: "reject_once" } } as const;

describe("a session with budgets", () => {
  it("is told once at 80 %, stopped at 100 % by a cancellation, and asked whether to go on", async () => {
    let at = 0;
    const turn: Turn = (say, isStopped) => {
      while (at < 7 && !isStopped()) say(call(at++));
      return isStopped() ? cancelled : done;
    };
    await withBudgets({ session: { toolCalls: 5 } }, turn, async ({ prompt, prompts, shown, agent }) => {
      assert.deepEqual(await prompt(), done);
      assert.deepEqual(shown(), [
        "Budget: 4 tool calls of 5 used in this session (g:1)",
        "asked: Allow another 5 tool calls?",
      ]);
      assert.deepEqual(prompts, ["do it", "The user allows you to continue. Continue where you were stopped."]);
      assert.equal(agent.peer.received.filter(({ method }) => method === "session/cancel").length, 1);
      assert.equal(at, 7);
    });
  });

  it("ends where its user does not let it go on, and its next prompt is asked about before the agent has it", async () => {
    const turn: Turn = (say, isStopped) => {
      for (let id = 0; id < 9 && !isStopped(); id++) say(call(id));
      return cancelled;
    };
    await withBudgets(
      { session: { toolCalls: 2 } },
      turn,
      async ({ prompt, prompts, shown }) => {
        assert.deepEqual(await prompt(), cancelled);
        assert.deepEqual(await prompt("more"), { stopReason: "refusal" });
        assert.deepEqual(prompts, ["do it"]);
        assert.equal(shown().filter((text) => text.startsWith("asked")).length, 2);
      },
      rejecting,
    );
  });

  it("reports a used-up budget instead of asking where nobody can be asked", async () => {
    const reports: unknown[] = [];
    const turn: Turn = (say, isStopped) => {
      for (let id = 0; id < 9 && !isStopped(); id++) say(call(id));
      return isStopped() ? cancelled : done;
    };
    await withBudgets(
      { session: { toolCalls: 2 } },
      turn,
      async ({ prompt, shown }) => {
        assert.deepEqual(await prompt(), cancelled);
        const budget = { scope: "session", figure: "toolCalls", limit: 2, place: "g:1", used: "3 tool calls" };
        assert.deepEqual(reports[0], budget);
        assert.deepEqual(
          shown().filter((text) => /Allow another/.test(text)),
          [],
        );
        assert.deepEqual(await prompt(), { stopReason: "refusal" });
        assert.deepEqual(reports.at(-1), budget);
      },
      { onUsedUp: (used) => reports.push(used) },
    );
  });

  it("counts turns, and lets the last one that it has run", async () => {
    await withBudgets(
      { session: { turns: 2 } },
      () => done,
      async ({ prompt, prompts }) => {
        assert.deepEqual([await prompt(), await prompt(), await prompt()], [done, done, { stopReason: "refusal" }]);
        assert.equal(prompts.length, 2);
      },
      rejecting,
    );
  });

  it("counts tokens at the end of turns, never the context in use, and joins those of a turn that goes on", async () => {
    let turns = 0;
    const turn: Turn = (say, isStopped) => {
      say({ sessionUpdate: "usage_update", used: 900_000, size: 1_000_000 });
      if (turns++ === 0) for (const id of [1, 2]) say(call(id));
      return { stopReason: isStopped() ? "cancelled" : "end_turn", usage: { inputTokens: 60, outputTokens: 30 } };
    };
    await withBudgets({ session: { tokens: 100, toolCalls: 1 } }, turn, async ({ prompt, shown }) => {
      assert.deepEqual(await prompt(), { stopReason: "end_turn", usage: { inputTokens: 120, outputTokens: 60 } });
      assert.deepEqual(shown(), [
        "Budget: 1 tool call of 1 used in this session (g:1)",
        "asked: Allow another 1 tool call?",
        "Budget: 90 tokens of 100 used in this session (g:1)",
      ]);
    });
  });

  it("counts money as its agent tells it, and says where an agent tells none", async () => {
    const costs = [0.5, 1.2];
    const turn: Turn = (say, isStopped) => {
      say({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: costs.shift(), currency: "USD" } });
      return { stopReason: isStopped() ? "cancelled" : "end_turn" };
    };
    await withBudgets(
      { session: { dollars: 1 } },
      turn,
      async ({ prompt, shown }) => {
        await prompt();
        assert.deepEqual(shown(), []);
        assert.deepEqual(await prompt(), cancelled);
        assert.equal(shown().at(-1), "asked: Allow another 1 US dollar?");
      },
      rejecting,
    );
    const silent: Turn = () => ({ ...done, usage: { inputTokens: 5, outputTokens: 5 } });
    await withBudgets({ session: { dollars: 1 } }, silent, async ({ prompt, shown }) => {
      await prompt();
      await prompt();
      assert.equal(shown().length, 1);
      assert.match(shown()[0] ?? "", /doesn't report what it costs.*limit "tokens"/);
    });
  });

  it("has what others have used today and in its folder, with its own turns that are not counted there yet", async () => {
    for (const scope of ["day", "workspace"]) {
      await withBudgets(
        { [scope]: { turns: 3 } },
        () => done,
        async ({ prompt }) => {
          assert.deepEqual([await prompt(), await prompt(), await prompt()], [done, done, { stopReason: "refusal" }]);
        },
        { ...rejecting, before: { turns: 1 } },
      );
    }
  });

  it("begins anew with each day, also in a session that goes on", async () => {
    let now = noon;
    await withBudgets(
      { day: { turns: 1 } },
      () => done,
      async ({ prompt }) => {
        assert.deepEqual([await prompt(), await prompt()], [done, { stopReason: "refusal" }]);
        now += 24 * 60 * 60_000;
        assert.deepEqual([await prompt(), await prompt()], [done, { stopReason: "refusal" }]);
      },
      { ...rejecting, now: () => now },
    );
  });

  it("is stopped when its time is up", async () => {
    let now = noon;
    await withBudgets(
      { session: { minutes: 1 } },
      () => undefined,
      async ({ stage, agent, prompt }) => {
        const answer = prompt();
        await until(() => agent.peer.open.length > 0);
        now += 61_000;
        agent.client.notify(Notification.of("session/update", { sessionId: "s", update: call(1) }));
        assert.ok(agent.peer.received.some(({ method }) => method === "session/cancel"));
        agent.peer.open[0]?.reply(Outcome.of(cancelled));
        assert.deepEqual(await answer, cancelled);
        assert.equal(stage.client.received.filter(({ method }) => method === "session/request_permission").length, 1);
      },
      { ...rejecting, now: () => now },
    );
  });

  it("passes prompts on at once without budgets", async () => {
    await withBudgets(
      {},
      () => done,
      async ({ prompt, shown }) => {
        assert.deepEqual(await prompt(), done);
        assert.deepEqual(shown(), []);
      },
    );
  });

  it("is told once of a call that fails again and again", async () => {
    const turn: Turn = (say) => {
      for (let id = 0; id < 9; id++) {
        say(call(id, { rawInput: { command: "make" } }));
        say({ sessionUpdate: "tool_call_update", toolCallId: `c${id}`, status: "failed" });
      }
      return done;
    };
    await withBudgets({ session: { turns: 50 } }, turn, async ({ prompt, shown }) => {
      await prompt();
      assert.deepEqual(shown(), ['The same call has failed 4 times in a row: {"command":"make"}']);
    });
  });

  it("is held to limits that can be read; others are named with what they have to be", () => {
    const read = (budgets: unknown): { readonly budgets: readonly Budget[]; readonly problems: readonly string[] } =>
      parseGuardFile(JSON.stringify({ budgets }), { file: "g", isOfProject: true });
    assert.deepEqual(read({ day: { dollars: 2.5 } }), {
      rules: [],
      levels: [],
      mayLackRules: false,
      budgets: [{ scope: "day", figure: "dollars", limit: 2.5, place: "g:1" }],
      problems: [],
      notes: [],
    });
    for (const [value, problem] of [
      [[], /"budgets" must be an object/],
      [{ week: {} }, /There is no budget "week"\. There is "session", "day", "workspace"/],
      [{ day: { turns: "5" } }, /"turns" is "5"\. It must be a number above 0/],
      [{ day: { turns: 0 } }, /"turns" is 0/],
      [{ day: { euros: 1 } }, /A budget has no "euros"/],
    ] as const) {
      assert.match(read(value).problems.join("\n"), problem);
    }
  });
});
