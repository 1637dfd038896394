import assert from "node:assert/strict";
import type { Contribution, SlashCommand } from "../../src/context/contribution.js";
import { Outcome } from "../../src/base/rpc/message.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import { PlayedAgent, settled, type Stage } from "../conductor/chain/chain-fixture.js";
import { answering, got, source, text, update, withContext } from "./context-stage.js";

const review: SlashCommand = {
  name: "review",
  description: "Reviews",
  hint: "what",
  expand: (words) => Promise.resolve([{ type: "text", text: `Review ${words}.` }]),
};

const commands = (...list: readonly SlashCommand[]): Contribution => ({ commands: { current: () => list } });

const names = ({ client }: Stage): unknown[] =>
  client.updates
    .filter(({ sessionUpdate }) => sessionUpdate === "available_commands_update")
    .map(({ availableCommands }) => (availableCommands as { name: string }[]).map(({ name }) => name));

describe("slash commands of a session", () => {
  it("are announced after the answer, and merged into every list of the agent", () => {
    const sources = [source(commands(review), "skills"), source(commands({ ...review, name: "fix" }), "commands")];
    return withContext({ agent: answering(), sources }, async (stage, agent) => {
      const sessionId = await stage.session();
      await settled();
      const availableCommands = [{ name: "review", description: "its own" }];
      update(agent, sessionId, { sessionUpdate: "available_commands_update", availableCommands });
      assert.deepEqual(names(stage), [
        ["review", "fix"],
        ["review", "skills:review", "fix"],
      ]);
    });
  });

  it("are announced again when they change", () => {
    let list: readonly SlashCommand[] = [review];
    let tell = (): void => undefined;
    const contribution: Contribution = {
      commands: {
        current: () => list,
        subscribe: (listener) => {
          tell = listener;
          return { [Symbol.dispose]: () => undefined };
        },
      },
    };
    return withContext({ sources: [source(contribution)] }, async (stage) => {
      await stage.session();
      await settled();
      list = [];
      tell();
      assert.deepEqual(names(stage), [["review"], []]);
    });
  });

  it("know the agent's commands that were announced before the answer", () => {
    const availableCommands = [{ name: "review", description: "its own" }];
    const agent: PlayedAgent = new PlayedAgent({
      "session/new": () => {
        update(agent, "s", { sessionUpdate: "available_commands_update", availableCommands });
        return { sessionId: "s" };
      },
    });
    return withContext({ agent, sources: [source(commands(review), "skills")] }, async (stage) => {
      await stage.session();
      await settled();
      assert.deepEqual(names(stage).at(-1), ["review", "skills:review"]);
    });
  });

  it("of the agent that come before the answer are announced after it, since clients drop what is of no session they know", async () => {
    const availableCommands = [{ name: "review", description: "its own" }];
    for (const contribution of [{}, { instructions: [{ title: "AGENTS.md", text: "Use tabs." }] }]) {
      let given: Stage | undefined;
      let before: number | undefined;
      const agent: PlayedAgent = new PlayedAgent({
        "session/new": () => {
          update(agent, "s", { sessionUpdate: "available_commands_update", availableCommands });
          before = given?.client.updates.length;
          return { sessionId: "s" };
        },
      });
      await withContext({ agent, sources: [source(contribution)] }, async (stage) => {
        given = stage;
        await stage.session();
        await settled();
        assert.equal(before, 0);
        assert.deepEqual(stage.client.updates, [{ sessionUpdate: "available_commands_update", availableCommands }]);
      });
    }
  });

  it("put their blocks in place of the user's words, and leave other blocks", () =>
    withContext({ agent: answering(), sources: [source(commands(review))] }, async (stage, agent) => {
      const sessionId = await stage.session();
      const unknown = { type: "hologram", data: [1] };
      await stage.result("session/prompt", {
        sessionId,
        prompt: [text("/review src/a.ts "), unknown],
        _meta: { a: 1 },
      });
      const line = 'Run the command "/review src/a.ts":\n<symposium-command>\nReview src/a.ts.\n</symposium-command>';
      assert.deepEqual(got(agent, "session/prompt"), [{ sessionId, prompt: [text(line), unknown], _meta: { a: 1 } }]);
    }));

  it("bring embedded resources as text where the agent does not take them", () => {
    const resource = { uri: "symposium://skill/pdf", mimeType: "text/markdown", text: "Do pdf." };
    const skill: SlashCommand = { ...review, expand: () => Promise.resolve([{ type: "resource", resource }]) };
    return withContext({ agent: answering(), sources: [source(commands(skill))] }, async (stage, agent) => {
      const sessionId = await stage.session();
      await stage.prompt(sessionId, "/review");
      const [, second] = got(agent, "session/prompt")[0]?.["prompt"] as unknown[];
      assert.deepEqual(second, text("<symposium-context>\nDo pdf.\n</symposium-context>"));
    });
  });

  it("stand in a replay as they were written", () =>
    withContext({}, async (stage, agent) => {
      const sessionId = await stage.session();
      const line = 'Run the command "/review \\"a\\"":\n<symposium-command>\nReview.\n</symposium-command>';
      update(agent, sessionId, { sessionUpdate: "user_message_chunk", content: text(line) });
      assert.deepEqual(stage.client.updates, [{ sessionUpdate: "user_message_chunk", content: text('/review "a"') }]);
    }));

  it("hold prompts that come meanwhile, and give the turn up with a cancellation", () => {
    const slow: SlashCommand = { ...review, expand: () => new Promise(() => undefined) };
    return withContext({ agent: answering(), sources: [source(commands(slow))] }, async (stage, agent) => {
      const sessionId = await stage.session();
      const turn = stage.prompt(sessionId, "/review it");
      const next = stage.prompt(sessionId, "hi");
      stage.notify("session/cancel", { sessionId });
      assert.deepEqual(await Promise.all([turn, next]), [{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
      await stage.prompt(sessionId, "after");
      assert.deepEqual(agent.peer.methods, ["initialize", "session/new", "session/prompt"]);
    });
  });

  it("given up beside a turn that the agent has let the agent hear of the cancellation, too", () => {
    const slow: SlashCommand = { ...review, expand: () => new Promise(() => undefined) };
    const agent = answering({ "session/prompt": () => undefined });
    return withContext({ agent, sources: [source(commands(slow))] }, async (stage) => {
      const sessionId = await stage.session();
      const running = stage.prompt(sessionId, "go");
      const waiting = stage.prompt(sessionId, "/review it");
      stage.notify("session/cancel", { sessionId });
      assert.deepEqual(await waiting, { stopReason: "cancelled" });
      await settled();
      assert.deepEqual(agent.peer.methods.slice(-2), ["session/prompt", "session/cancel"]);
      agent.peer.open[0]?.reply(Outcome.of({ stopReason: "cancelled" }));
      assert.deepEqual(await running, { stopReason: "cancelled" });
    });
  });

  it("stay when the agent refuses to load a session that is open", () => {
    const agent = answering({ "session/load": Outcome.error(RpcError.internal("no")) });
    return withContext({ agent, sources: [source(commands(review))] }, async (stage) => {
      const sessionId = await stage.session();
      const refused = await stage.ask("session/load", { sessionId, cwd: "/w", mcpServers: [] });
      assert.equal(refused.isError, true);
      await stage.prompt(sessionId, "/review it");
      assert.match(JSON.stringify(got(agent, "session/prompt")), /Review it\./);
    });
  });

  it("say in place of a turn why they failed", () => {
    const failing: SlashCommand = { ...review, expand: () => Promise.reject(new Error("The file is gone.")) };
    return withContext({ agent: answering(), sources: [source(commands(failing))] }, async (stage, agent) => {
      const sessionId = await stage.session();
      const result = await stage.prompt(sessionId, "/review it");
      assert.deepEqual(
        [result, stage.client.text, got(agent, "session/prompt")],
        [{ stopReason: "end_turn" }, "The file is gone.", []],
      );
    });
  });
});
