import assert from "node:assert/strict";
import { Notification, Outcome } from "../../src/base/rpc/message.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import { call, cancelled, done, type Turn, until, withBudgets } from "./budget-stage.js";

const rejecting = { client: { permits: "reject_once" } } as const;
const text = (words: string): object => ({ sessionId: "s", prompt: [{ type: "text", text: words }] });

describe("a turn with budgets", () => {
  it("counts what sub-agents call in sessions of their own, and theirs", async () => {
    const turn: Turn = (say, isStopped) => {
      say({ sessionUpdate: "subagent_update", sessionId: "child" });
      say({ sessionUpdate: "subagent_update", sessionId: "grandchild" }, "child");
      for (let id = 0; id < 9 && !isStopped(); id++) say(call(id), id % 2 === 0 ? "child" : "grandchild");
      return isStopped() ? cancelled : done;
    };
    await withBudgets(
      { session: { toolCalls: 3 } },
      turn,
      async ({ prompt, shown }) => {
        assert.deepEqual(await prompt(), cancelled);
        assert.equal(shown().at(-1), "asked: Allow another 3 tool calls?");
      },
      rejecting,
    );
  });

  it("counts sub-agents that an earlier turn has begun", async () => {
    let at = 0;
    const turn: Turn = (say, isStopped) => {
      if (at++ === 0) say({ sessionUpdate: "subagent_update", sessionId: "child" });
      else for (const id of [1, 2]) say(call(id), "child");
      return isStopped() ? cancelled : done;
    };
    await withBudgets(
      { session: { toolCalls: 1 } },
      turn,
      async ({ prompt }) => assert.deepEqual([await prompt(), await prompt()], [done, cancelled]),
      rejecting,
    );
  });

  it("that is stopped gives up what its agent asks the user, also in the session of a sub-agent, and what it asks then", async () => {
    const open = { "session/request_permission": () => undefined, "elicitation/create": () => undefined };
    const turn: Turn = (say) => {
      say({ sessionUpdate: "subagent_update", sessionId: "child" });
      return undefined;
    };
    await withBudgets(
      { session: { toolCalls: 1 } },
      turn,
      async ({ prompt, agent, stage }) => {
        const answer = prompt();
        await until(() => agent.peer.open.length > 0);
        const toolCall = { toolCallId: "c1", title: "x" };
        const asked = agent.ask("session/request_permission", { sessionId: "child", toolCall, options: [] });
        const form = agent.ask("elicitation/create", { sessionId: "s", mode: "form", message: "Which?" });
        agent.client.notify(Notification.of("session/update", { sessionId: "s", update: call(1) }));
        agent.client.notify(Notification.of("session/update", { sessionId: "s", update: call(2) }));
        assert.deepEqual((await asked).json.value, { outcome: { outcome: "cancelled" } });
        assert.deepEqual((await form).json.value, { action: "cancel" });
        await until(() => stage.client.received.filter(({ kind }) => kind === "cancel").length === 2);
        const late = await agent.ask("session/request_permission", { sessionId: "s", toolCall, options: [] });
        assert.deepEqual(late.json.value, { outcome: { outcome: "cancelled" } });
        agent.peer.open[0]?.reply(Outcome.of(cancelled));
        await until(() => stage.client.open.length === 3);
        stage.client.open[2]?.reply(Outcome.of({ outcome: { outcome: "selected", optionId: "stop" } }));
        assert.deepEqual(await answer, cancelled);
      },
      { client: { answers: open } },
    );
  });

  it("lets as many calls run as its budget has, and stops the next one before its user is asked about it", async () => {
    let at = 0;
    await withBudgets(
      { session: { toolCalls: 1 } },
      () => (at++ === 0 ? undefined : done),
      async ({ prompt, agent, stage, shown }) => {
        const answer = prompt();
        await until(() => agent.peer.open.length > 0);
        const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
        const ask = (toolCallId: string): ReturnType<typeof agent.ask> =>
          agent.ask("session/request_permission", {
            sessionId: "s",
            toolCall: { toolCallId, title: toolCallId },
            options,
          });
        assert.deepEqual((await ask("one")).json.value, { outcome: { outcome: "selected", optionId: "yes" } });
        assert.deepEqual((await ask("two")).json.value, { outcome: { outcome: "cancelled" } });
        assert.equal(agent.peer.received.at(-1)?.method, "session/cancel");
        agent.peer.open[0]?.reply(Outcome.of(cancelled));
        assert.deepEqual(await answer, done);
        assert.deepEqual(
          shown().filter((one) => one.startsWith("asked")),
          ["asked: one", "asked: Allow another 1 tool call?"],
        );
        assert.equal(stage.client.open.length, 0);
      },
      { client: { permits: "allow_once" } },
    );
  });

  it("that ends by itself when its budget is used up is not asked about: the next one is", async () => {
    const turn: Turn = (say) => {
      say({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 3, currency: "USD" } });
      return done;
    };
    await withBudgets(
      { session: { dollars: 1 } },
      turn,
      async ({ prompt, prompts, shown }) => {
        assert.deepEqual(await prompt(), done);
        assert.deepEqual(shown(), ["Budget: 3 US dollars of 1 used in this session (g:1)"]);
        assert.deepEqual(await prompt(), { stopReason: "refusal" });
        assert.deepEqual([prompts.length, shown().at(-1)], [1, "asked: Allow another 1 US dollar?"]);
      },
      rejecting,
    );
  });

  it("is asked about for each budget that is used up before the agent gets it", async () => {
    let at = 0;
    const turn: Turn = (say) => {
      if (at++ === 0) for (const id of [1, 2]) say(call(id));
      return done;
    };
    await withBudgets({ session: { turns: 1, toolCalls: 1 } }, turn, async ({ prompt, shown, agent }) => {
      await prompt();
      await prompt();
      assert.deepEqual(
        shown().filter((one) => one.startsWith("asked")),
        ["asked: Allow another 1 turn?", "asked: Allow another 1 tool call?"],
      );
      // The first turn was stopped at its second call; the second one was not stopped again.
      assert.equal(agent.peer.received.filter(({ method }) => method === "session/cancel").length, 1);
    });
  });

  it("that goes on can be cancelled by its request, too", async () => {
    let at = 0;
    const turn: Turn = (say) => {
      if (at++ > 0) return undefined;
      for (const id of [1, 2]) say(call(id));
      return cancelled;
    };
    await withBudgets({ session: { toolCalls: 1 } }, turn, async ({ stage, agent }) => {
      const stop = new AbortController();
      const answer = stage.ask("session/prompt", text("do it"), stop.signal);
      await until(() => agent.peer.open.length > 0);
      stop.abort();
      await until(() => agent.peer.received.some(({ kind }) => kind === "cancel"));
      agent.peer.open[0]?.reply(Outcome.of(cancelled));
      assert.deepEqual((await answer).json.value, cancelled);
    });
  });

  it("that its user cancels while it is stopped is not asked about", async () => {
    const turn: Turn = (say) => {
      for (const id of [1, 2]) say(call(id));
      return undefined;
    };
    await withBudgets({ session: { toolCalls: 1 } }, turn, async ({ prompt, stage, agent, shown }) => {
      const answer = prompt();
      await until(() => agent.peer.open.length > 0);
      stage.notify("session/cancel", { sessionId: "s" });
      agent.peer.open[0]?.reply(Outcome.of(cancelled));
      assert.deepEqual(await answer, cancelled);
      assert.deepEqual(shown(), ["Budget: 1 tool call of 1 used in this session (g:1)"]);
    });
  });

  it("counts beside another one of its session, and is cancelled with it", async () => {
    await withBudgets(
      { session: { turns: 2, toolCalls: 1 } },
      () => undefined,
      async ({ prompt, prompts, agent, shown }) => {
        const answers = [prompt("first"), prompt("second")];
        await until(() => agent.peer.open.length === 2);
        agent.peer.open[0]?.reply(Outcome.of(done));
        assert.deepEqual(await answers[0], done);
        for (const id of [1, 2]) {
          agent.client.notify(Notification.of("session/update", { sessionId: "s", update: call(id) }));
        }
        assert.equal(agent.peer.received.at(-1)?.method, "session/cancel");
        agent.peer.open[0]?.reply(Outcome.of(cancelled));
        assert.deepEqual(await answers[1], cancelled);
        assert.deepEqual(await prompt("third"), { stopReason: "refusal" });
        assert.deepEqual(
          [prompts, shown().filter((one) => one.startsWith("asked"))],
          [
            ["first", "second"],
            ["asked: Allow another 1 tool call?", "asked: Allow another 2 turns?"],
          ],
        );
      },
      rejecting,
    );
  });

  it("is held to its budgets after its agent has refused to close the session", async () => {
    const answers = {
      initialize: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } },
      "session/close": Outcome.error(RpcError.internal("It stays open.")),
    };
    await withBudgets(
      { session: { turns: 1 } },
      () => done,
      async ({ prompt, stage }) => {
        await prompt();
        await stage.error("session/close", { sessionId: "s" });
        assert.deepEqual(await prompt(), { stopReason: "refusal" });
      },
      { ...rejecting, answers },
    );
  });

  it("is stopped by tokens that are told on the way, once each", async () => {
    const usage = { inputTokens: 50, outputTokens: 10 };
    const turn: Turn = (say, isStopped) => {
      for (let at = 0; at < 9 && !isStopped(); at++) {
        say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "" }, _meta: { usage } });
      }
      return isStopped() ? cancelled : done;
    };
    await withBudgets(
      { session: { tokens: 100 } },
      turn,
      async ({ prompt, shown }) => {
        assert.deepEqual(await prompt(), cancelled);
        assert.deepEqual(shown(), [
          "Budget: 120 tokens of 100 used in this session (g:1)",
          "asked: Allow another 100 tokens?",
        ]);
      },
      rejecting,
    );
  });

  it("is told once of each limit that its agent gives no figures for", async () => {
    await withBudgets(
      { session: { tokens: 5, dollars: 1 }, day: { tokens: 9 } },
      () => done,
      async ({ prompt, shown }) => {
        await prompt("/help");
        assert.deepEqual(shown(), [], "that may have used no model");
        await prompt();
        await prompt();
        const remedy = 'limit "turns", "toolCalls" or "minutes" instead (g:1)';
        assert.deepEqual(shown(), [
          `Budget: this agent doesn't report its tokens, so the limit of tokens doesn't apply to it; ${remedy}`,
          `Budget: this agent doesn't report what it costs, so the limit of dollars doesn't apply to it; ${remedy}`,
        ]);
      },
    );
  });

  it("counts what the models of a turn cost by list prices where its agent names them, and tells of those without one", async () => {
    const models = ["gpt-5", "a-model-of-nobody"];
    const usages = models.map((model) => ({ model, token_count: { input_tokens: 4_000_000, output_tokens: 0 } }));
    const spent: Turn = () => ({ stopReason: "end_turn", _meta: { quota: { model_usage: usages } } });
    await withBudgets({ session: { dollars: 5 } }, spent, async ({ prompt, shown }) => {
      await prompt();
      assert.equal(shown().length, 1);
      assert.match(shown()[0] ?? "", /^Budget: .*dollars of 5 used in this session/);
    });
    await withBudgets({ session: { dollars: 500 } }, spent, async ({ prompt, shown }) => {
      await prompt();
      await prompt();
      const limit = "so the dollar limit counts only other models";
      const remedy = 'limit "turns", "toolCalls" or "minutes"';
      assert.deepEqual(shown(), [
        `Budget: no price is known for "a-model-of-nobody", ${limit}; ${remedy} instead (g:1)`,
      ]);
    });
  });
});
