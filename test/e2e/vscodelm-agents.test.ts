import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentActionTool, type Exposure } from "@symposium-dev/core";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { claude, gemini, opencode, writtenText } from "../support/agents/agent-recipes.js";
import { signedIn } from "../support/agents/signed-in.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { callTools, callToolWith, say, type ScriptStep, talkUntilCancelled } from "../support/fake-model/script.js";
import { Conversation, resultOf } from "../support/language-model/conversation.js";
import { actionTool, editorTools, runEditorTool } from "../support/language-model/editor-tools.js";
import { LmProcess } from "../support/language-model/lm-process.js";
import { type ModelAnswer, textIn, type ToolCallPart } from "../support/language-model/model-consumer.js";
import { usePackage } from "../support/packages/use-package.js";
import { scaledMs, until } from "../support/until.js";

const runs = ({ toolName, parameters }: ToolCallPart): string => runEditorTool(toolName, parameters);
const skipWords = "The user chose to skip the tool call, they want to proceed without running it";

for (const recipe of [opencode, gemini, claude]) describeAgent(signedIn(recipe));

function describeAgent(recipe: AgentRecipe): void {
  // One process, as an editor has one; each conversation is a session of its own.
  describe(`${recipe.name} ${recipe.version} as a language model of VS Code`, function () {
    this.timeout(scaledMs(400_000));
    const stack = new AsyncDisposableStack();
    const binFolder = usePackage(recipe);
    let lm: LmProcess;
    let fake: FakeModel;
    let fileOf: (name: string) => string;

    before(async function () {
      lm = await LmProcess.start(stack, async ({ folder }) => {
        fileOf = (name) => join(folder.workspace, name);
        const script = ({ userText }: { readonly userText: string }) => scriptFor(userText, recipe, fileOf);
        fake = stack.use(await startFakeModel({ script }));
        const { words, env } = await agentCommand(recipe, binFolder(this), folder, fake.url);
        const [command = "", ...args] = words;
        return { modelId: recipe.name, agent: { id: recipe.name, name: recipe.name, command, args, env } };
      });
    });
    after(() => stack.disposeAsync());

    /** The requests of the conversation in which this was said. */
    const requestsOf = (words: string) =>
      fake.requests.filter(({ tools, userText }) => tools.length > 0 && userText.includes(words));

    // Whether the editor gets both in one answer is a matter of milliseconds: the tests of rounds have a clock for it.
    it("calls two of 60 tools of the editor, and is told what they return", async () => {
      const chat = new Conversation(lm, { tools: editorTools(60), runs });
      const { text, error } = await chat.say("Shout and whisper.");
      const results = requestsOf("Shout and").flatMap(({ toolResults }) => toolResults.map((result) => result.text));
      assert.deepEqual(
        {
          error,
          text: text.trim(),
          calls: chat.calls.map(({ toolName, parameters }) => [toolName, parameters]).sort(),
          told: ["QUIET", "loud"].filter((result) => results.some((told) => told.includes(result))),
        },
        {
          error: undefined,
          text: "All done.",
          calls: [
            ["shout", { text: "Quiet" }],
            ["whisper", { text: "Loud" }],
          ],
          told: ["QUIET", "loud"],
        },
      );
    });

    it("calls the tools of the chat in which it is asked, while another chat waits for its own", async () => {
      const [first, second] = ["first", "second"].map(
        (name) => new Conversation(lm, { tools: editorTools(2), runs: () => `IN THE ${name.toUpperCase()} CHAT` }),
      ) as [Conversation, Conversation];
      first.add("Shout in the first chat, then whisper.");
      const waiting = await first.round();
      const other = await second.say("Shout in the second chat, then whisper.");
      await first.run(waiting.calls);
      const last = await first.round();
      await first.run(last.calls);
      const ended = await first.round();
      const told = (words: string) =>
        requestsOf(words).flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
      assert.deepEqual(
        {
          errors: [waiting.error, other.error, last.error, ended.error],
          calls: [first, second].map((chat) => chat.calls.map(({ toolName }) => toolName)),
          isMixed: [told("in the first").join().includes("SECOND"), told("in the second").join().includes("FIRST")],
        },
        {
          errors: [undefined, undefined, undefined, undefined],
          calls: [
            ["shout", "whisper"],
            ["shout", "whisper"],
          ],
          isMixed: [false, false],
        },
      );
    });

    it("asks by a tool of the editor before it writes a file, and writes it when that is allowed", async () => {
      const chat = new Conversation(lm, { tools: [actionTool, ...editorTools(10)], runs: () => "proceed" });
      const { error } = await chat.say("Create allowed.txt.");
      assert.deepEqual(
        {
          error,
          asked: chat.calls.map(({ toolName }) => toolName),
          content: (await readFile(fileOf("allowed.txt"), "utf8")).trim(),
        },
        { error: undefined, asked: [agentActionTool], content: writtenText },
      );
    });

    it("has its own tools, the editor's or both, as the exposure says", async () => {
      const offered = async (exposure: Exposure): Promise<readonly boolean[]> => {
        const words = `Hello to ${exposure}.`;
        await new Conversation(lm.with({ exposure }), { tools: editorTools(2) }).say(words);
        const names = requestsOf(words).flatMap(({ tools }) => tools.map(({ name }) => name));
        return [/shout$/, /^(write|write_file)$/i].map((tool) => names.some((name) => tool.test(name)));
      };
      assert.deepEqual(await offered("agent"), [false, true]);
      if (recipe.name === "opencode") return;
      assert.deepEqual(
        [await offered("hybrid"), await offered("raw"), await offered("agent")],
        [
          [true, true],
          [true, false],
          [false, true],
        ],
      );
    });

    // Each session of OpenCode is a process of its own: what depends less on the agent is left to the others.
    if (recipe.name === "opencode") return;

    it("does not write when the user skips that, and is there for what follows", async () => {
      const chat = new Conversation(lm, { tools: [actionTool], runs: () => skipWords });
      const { error } = await chat.say("Create skipped.txt.");
      const next = await chat.say("Never mind.");
      assert.deepEqual(
        {
          errors: [error, next.error],
          asked: chat.calls.length,
          isWritten: existsSync(fileOf("skipped.txt")),
          hasHeard: requestsOf("Never mind.").length > 0,
        },
        { errors: [undefined, undefined], asked: 1, isWritten: false, hasHeard: true },
      );
    });

    it("asks the extension where the editor does not offer that tool", async () => {
      lm.decides = () => ({ outcome: "allow" });
      const { error } = await new Conversation(lm, { tools: editorTools(2), runs }).say("Create asked.txt.");
      assert.deepEqual(
        {
          error,
          asked: lm.permissions.length,
          content: (await readFile(fileOf("asked.txt"), "utf8")).trim(),
        },
        { error: undefined, asked: 1, content: writtenText },
      );
    });

    it("hangs up on its model when the user stops it, and is there for what follows", async () => {
      const chat = new Conversation(lm);
      chat.add("Tell me a story.");
      const answer = await begun(chat.ask());
      answer.cancel();
      assert.equal((await chat.settle(answer)).error, undefined);
      const [talk] = requestsOf("Tell me a story.").filter(({ reply }) => reply.kind === "talk-until-cancelled");
      assert.equal(await talk?.ended, "aborted");
      chat.add("Tell it again.");
      const next = await begun(chat.ask());
      next.cancel();
      assert.equal((await chat.settle(next)).error, undefined);
      assert.equal(requestsOf("Tell it again.").length, 1);
    });

    it("learns what the user adds beside the result of a tool", async () => {
      const chat = new Conversation(lm, { tools: editorTools(2) });
      chat.add("Shout, please.");
      const { calls } = await chat.round();
      chat.addResults(...calls.map((call) => resultOf(call, "AS LOUD AS CAN BE")));
      chat.add("And be brief.");
      const { error } = await chat.round();
      const told = requestsOf("Shout, please.").map(({ body }) => JSON.stringify(body));
      assert.deepEqual(
        [error, ...["AS LOUD AS CAN BE", "And be brief."].map((words) => told.some((body) => body.includes(words)))],
        [undefined, true, true],
      );
    });
  });
}

/** Returns the model's script for a conversation with this text of the user. */
function scriptFor(userText: string, recipe: AgentRecipe, fileOf: (name: string) => string): readonly ScriptStep[] {
  const file = /Create (\S+\.txt)/.exec(userText)?.[1];
  const shouts = callToolWith(/shout$/, { text: "Quiet" });
  if (file !== undefined) return [recipe.createsFile(fileOf(file)), say("All done.")];
  if (userText.includes("and whisper")) {
    return [callTools(shouts, callToolWith(/whisper$/, { text: "Loud" })), say("All ", "done.")];
  }
  if (userText.includes("then whisper")) return [shouts, callToolWith(/whisper$/, { text: "Loud" }), say("All done.")];
  if (userText.includes("Shout")) return [shouts, say("All done.")];
  return userText.includes("Tell") ? [talkUntilCancelled] : [say("Hello.")];
}

/** The answer, once the model talks. */
async function begun(answer: ModelAnswer): Promise<ModelAnswer> {
  await until(
    () => textIn(answer.parts),
    (text) => /word.*word/.test(text),
  );
  return answer;
}
