import assert from "node:assert/strict";
import { type AgentDefinition, agentActionTool, lmMethods } from "@symposium-dev/core";
import { objectOf } from "../support/json.js";
import { Conversation, resultOf } from "../support/language-model/conversation.js";
import { actionTool, editorTools, runEditorTool } from "../support/language-model/editor-tools.js";
import { LmProcess } from "../support/language-model/lm-process.js";
import { type ModelAnswer, textIn, type ToolCallPart } from "../support/language-model/model-consumer.js";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { pathWith } from "../support/repository.js";
import { agentText, agentWords } from "../support/scripted-programs.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";

const eliza: AgentDefinition = { eliza: { deterministic: true } };
const shouts = (text: string): string => `Use tool vscode_tools::shout with {"text": "${text}"}`;
const runs = ({ toolName, parameters }: ToolCallPart): string => runEditorTool(toolName, parameters);

describe("vscodelm", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();
  const start = (agent: AgentDefinition = eliza, words: readonly string[] = []): Promise<LmProcess> =>
    LmProcess.start(scope(), { modelId: "model", agent }, { words });
  const scripted = (): Promise<LmProcess> => start(agentText());
  /** Eliza in a process of her own, which can be killed. */
  const elizaApart = (): Promise<LmProcess> => start(shellWords([...conductorWords, "eliza", "--deterministic"]));

  it("is started with the common options before its name, and ends with its input", async () => {
    const lm = await start(eliza, ["--log", "debug"]);
    assert.match((await new Conversation(lm).say("Hello.")).text, /talk about/);
    lm.command.client.endInput();
    await lm.command.endsCleanly({ code: 0, signal: null });
  });

  it("takes an agent in every form that was ever sent", async () => {
    const lm = await start();
    const [command = "", ...args] = agentWords();
    const env = { PATH: pathWith() };
    const list = Object.entries(env).map(([name, value]) => ({ name, value }));
    const forms: readonly unknown[] = [
      agentText(),
      { command, args },
      { id: "scripted", name: "Scripted", command, args, env },
      { id: "scripted", name: "Scripted", command, args, env: list },
      { mcp_server: { name: "Scripted", command, args, env: list } },
      JSON.stringify({ name: "Scripted", command, args, env: list }),
    ];
    for (const form of forms) {
      const agent = form as AgentDefinition;
      assert.equal(
        (await new Conversation(lm.with({ agent })).say("echo hello")).text,
        "hello\n",
        JSON.stringify(form),
      );
    }
    for (const form of ["eliza", { eliza: {} }]) {
      assert.match(
        (await new Conversation(lm.with({ agent: form })).say("Hello.")).text,
        /talk about|here today|begin/,
      );
    }
  });

  it("says what is wrong with a request, and answers the next one", async () => {
    const lm = await start();
    const message = { role: "user", content: [{ type: "text", value: "Hello." }] };
    const good = { modelId: "model", agent: eliza, messages: [message] };
    for (const [params, named] of [
      [undefined, /modelId|params|messages/],
      [{ ...good, messages: undefined }, /messages/],
      [{ ...good, messages: [{ role: "user" }] }, /content/],
      [{ ...good, agent: 7 }, /agent/],
      [{ ...good, agent: { id: "nobody" } }, /agent/],
      [{ ...good, agent: "no-such-agent-anywhere" }, /no-such-agent-anywhere/],
      [{ ...good, exposure: "everything" }, /exposure/],
    ] as const) {
      assert.match((await lm.open(params).ended).error ?? "no error", named);
    }
    assert.equal((await lm.open(good).ended).error, undefined);
    const unknown = await lm.request("lm/unknown", {});
    assert.deepEqual([unknown.isError, objectOf(unknown.value)["code"]], [true, -32601]);
    const count = await lm.request(lmMethods.tokenCount, { modelId: "model", text: "one two three" });
    assert.equal(typeof objectOf(count.value)["count"], "number");
  });

  it("runs a tool out of 1, 2, 10, 60, 128 and 200, whatever the schemas of the others say", async () => {
    const lm = await start();
    for (const count of [1, 2, 10, 60, 128, 200]) {
      const chat = new Conversation(lm, { tools: editorTools(count), runs, hasJointResults: count % 4 === 0 });
      const { text, error } = await chat.say(shouts("quiet"));
      assert.deepEqual(
        [count, error, chat.calls.map(({ toolName }) => toolName), text.includes("QUIET")],
        [count, undefined, ["shout"], true],
      );
    }
  });

  it("keeps chats apart that begin with the same words, with and without ids of the editor", async () => {
    const lm = await start();
    const names = ["first", "second", "third", "fourth"];
    const chats = names.map(
      (name, index) =>
        new Conversation(lm, {
          tools: editorTools(2),
          runs: () => `from the ${name}`,
          ...(index % 2 === 0 && { conversationId: name }),
        }),
    );
    const rounds = await Promise.all(
      chats.map((chat) => {
        chat.add(shouts("quiet"));
        return chat.round();
      }),
    );
    const answers = await Promise.all(
      chats.map(async (chat, index) => {
        await chat.run(rounds[index]?.calls ?? []);
        return chat.round();
      }),
    );
    assert.deepEqual(
      answers.map(({ text }) => /from the (\w+)/.exec(text)?.[1]),
      names,
    );
  });

  it("answers a side request while a tool call waits for its result", async () => {
    const lm = await start();
    const chat = new Conversation(lm, { tools: editorTools(2), system: "You are in an editor." });
    chat.add(shouts("quiet"));
    const { calls } = await chat.round();
    const side = new Conversation(lm, { system: "You write titles." });
    side.messages.push(...chat.messages.filter(({ role }) => role === "user"));
    side.messages[1] = { role: "user", content: [{ type: "text", value: "Hello." }] };
    assert.match((await side.round()).text, /talk about/);
    chat.addResults(...calls.map((call) => resultOf(call, "QUIET")));
    assert.match((await chat.round()).text, /QUIET/);
  });

  for (const [answer, kind] of [
    ["proceed", "allow_once"],
    ["The user chose to skip the tool call, they want to proceed without running it", "reject_once"],
    ["The user cancelled the tool call.", "reject_once"],
    ["ERROR: The tool does not exist", "reject_once"],
  ] as const) {
    it(`takes "${answer}" for ${kind}`, async () => {
      const chat = new Conversation(await scripted(), { tools: [actionTool], runs: () => answer });
      const { text, error } = await chat.say("permission\necho later");
      assert.deepEqual(
        [error, chat.calls.map(({ toolName }) => toolName), text.includes(optionOf[kind]), text.endsWith("later\n")],
        [undefined, [agentActionTool], true, true],
      );
    });
  }

  for (const [outcome, option] of [
    ["allow", "option-3"],
    ["reject", "option-2"],
    ["cancelled", "cancelled"],
  ] as const) {
    it(`tells the agent what the extension answers where the tool is not offered: ${outcome}`, async () => {
      const lm = await scripted();
      lm.decides = () => ({ outcome });
      const { text, error } = await new Conversation(lm, { tools: editorTools(2) }).say("permission\necho later");
      assert.deepEqual(
        [error, text.includes(option), text.includes("later\n") || outcome === "cancelled"],
        [undefined, true, true],
      );
      assert.deepEqual(
        lm.permissions.map(({ title, kind }) => [title, kind]),
        [["Change main.ts", "edit"]],
      );
    });
  }

  it("ends at once what is stopped while the extension is asked, and is there for what follows", async () => {
    const lm = await scripted();
    lm.decides = () => new Promise(() => undefined);
    const chat = new Conversation(lm);
    chat.add("echo begun\npermission");
    const answer = chat.ask();
    await until(
      () => lm.permissions.length,
      (count) => count === 1,
    );
    answer.cancel();
    assert.equal((await chat.settle(answer)).error, undefined);
    assert.equal((await chat.say("echo again")).text, "again\n");
  });

  it("keeps in the history what was said before Stop", async () => {
    const chat = new Conversation(await scripted());
    chat.add("echo begun\nwait_for_cancel\necho never");
    const answer = await saying(chat.ask(), "waiting");
    answer.cancel();
    const { text, error } = await chat.settle(answer);
    assert.deepEqual([error, text.startsWith("begun\nwaiting\n"), text.includes("never")], [undefined, true, false]);
    assert.equal((await chat.say("echo after")).text, "after\n");
  });

  it("says that the agent is gone when it is killed in its answer, and starts it again for the next", async () => {
    const lm = await elizaApart();
    lm.decides = () => new Promise(() => undefined);
    const chat = new Conversation(lm);
    chat.add("Ask permission to leave.");
    const answer = chat.ask();
    await until(
      () => lm.permissions.length,
      (count) => count === 1,
    );
    await killAgents(lm);
    assert.match((await chat.settle(answer)).error ?? "no error", /SIGKILL/);
    // The new agent gets the unanswered message again, and asks for permission again.
    lm.decides = () => ({ outcome: "reject" });
    assert.notEqual((await chat.say("Hello.")).text, "");
  });

  it("goes on with the result of a tool whose agent was killed meanwhile", async () => {
    const lm = await elizaApart();
    const chat = new Conversation(lm, { tools: editorTools(2), runs });
    chat.add(shouts("quiet"));
    const { calls } = await chat.round();
    assert.equal(calls.length, 1);
    await killAgents(lm);
    await chat.run(calls);
    // A request that overtakes the news of the agent's end is answered with it.
    const { error } = await chat.round();
    if (error !== undefined) assert.match(error, /SIGKILL/);
    assert.match((await chat.say(shouts("again"))).text, /AGAIN/);
  });

  it("leaves nothing behind when it is killed in the middle of an answer", async () => {
    const lm = await start(agentText("--ignore-eof", "--ignore-sigterm"));
    const chat = new Conversation(lm);
    chat.add("echo begun\nhang");
    const answer = await saying(chat.ask(), "begun");
    lm.command.signal("SIGKILL");
    assert.match((await answer.ended).error ?? "no error", /SIGKILL/);
    await lm.command.endsCleanly({ code: null, signal: "SIGKILL" });
  });

  it("ends with its input while tools, permissions and answers are open", async () => {
    const lm = await scripted();
    lm.decides = () => new Promise(() => undefined);
    const open = ["permission", "echo begun\nhang"].map((words) => {
      const chat = new Conversation(lm);
      chat.add(words);
      return chat.ask();
    });
    await saying(open[1], "begun");
    await until(
      () => lm.permissions.length,
      (count) => count === 1,
    );
    lm.command.client.endInput();
    await Promise.all(open.map((answer) => answer.ended));
    await lm.command.endsCleanly({ code: 0, signal: null });
  });

  it("takes up a history of 2,000 messages that it has never seen, and goes on from there", async () => {
    const chat = new Conversation(await start(), { tools: editorTools(2), runs });
    for (let index = 0; index < 1_000; index++) {
      chat.add(`I dreamt of ${index}.`);
      chat.messages.push({ role: "assistant", content: [{ type: "text", value: `What about ${index}?` }] });
    }
    for (const words of ["fresh", "known"]) {
      assert.match((await chat.say(shouts(words))).text, new RegExp(words.toUpperCase()));
    }
  });
});

const optionOf = { allow_once: "option-3", reject_once: "option-2" } as const;

/** The answer, once these words of it have come. */
async function saying(answer: ModelAnswer | undefined, words: string): Promise<ModelAnswer> {
  assert.ok(answer);
  await until(
    () => textIn(answer.parts),
    (text) => text.includes(words),
  );
  return answer;
}

async function killAgents(lm: LmProcess): Promise<void> {
  for (const pid of await lm.command.processes(/agent-main|\beliza\b/)) process.kill(pid, "SIGKILL");
}
