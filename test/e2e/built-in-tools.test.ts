import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { rustFolders, whyNoCargo } from "@symposium-dev/core/testing/node";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { claude, gemini, opencode } from "../support/agents/agent-recipes.js";
import { throughConductor } from "../support/conductor-command.js";
import { environmentOfThisMachine } from "../support/environment.js";
import type { RecordedRequest } from "../support/fake-model/fake-model.js";
import { callToolWith, say, whenOffered, type ScriptStep } from "../support/fake-model/script.js";
import type { JsonObject } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { openSession, startAgent, type AgentSession, type Route } from "../support/agents/agent-session.js";
import { createsFile } from "../support/agents/agent-turns.js";
import { scaledMs } from "../support/until.js";

const fixtures = join(repositoryRoot, "test", "fixtures");
const defaults: Route = {
  name: "behind the built-in proxies",
  words: (agentWords) => throughConductor(agentWords, ["defaults"]),
};
/** The home folder of a run is empty: rustup finds its toolchains here. Nothing is downloaded. */
const rustEnvironment = { ...rustFolders(), CARGO_NET_OFFLINE: "true" };
const blockStart = "<sparkle-memory>";
const insight = "Show me the failing test first";

for (const recipe of [opencode, gemini, claude]) describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  describe(`the built-in proxies with ${recipe.name} ${recipe.version}`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();
    const agent = { ...recipe, env: (modelUrl: string) => ({ ...recipe.env(modelUrl), ...rustEnvironment }) };
    const open = (context: Mocha.Context, ...script: readonly ScriptStep[]): Promise<AgentSession> =>
      openWith(context, {}, ...script);
    const openWith = (
      context: Mocha.Context,
      workspace: Readonly<Record<string, string>>,
      ...script: readonly ScriptStep[]
    ): Promise<AgentSession> =>
      openSession(
        scope(),
        { recipe: agent, binFolder: binFolder(context), route: defaults },
        { script: () => script, mode: agent.mcpMode, files: { workspace } },
      );

    /**
     * Runs a turn in which the model calls the tool, in a workspace with these files. Returns the tool results that the model received.
     */
    async function resultOf(context: Mocha.Context, tool: RegExp, args: JsonObject, files: string): Promise<string> {
      needsCargo(context);
      const session = await openWith(context, await fixture(files), callToolWith(tool, args), say("All done."));
      const { stopReason } = await session.client.prompt(session.sessionId, "Use the tool.");
      assert.equal(stopReason, "end_turn");
      return toolResults(session);
    }

    it("ask, create a file and end the turn as without them", async function () {
      await createsFile(await startAgent(scope(), { recipe: agent, binFolder: binFolder(this), route: defaults }));
    });

    it("keep an insight and bring it into the next session, once and behind the user's words", async function () {
      const args = { insight_type: "PatternAnchor", content: insight };
      const session = await open(this, callToolWith(/save_insight$/, args), say("Kept."));
      const { client, model, sessionId, workspace } = session;
      await client.prompt(sessionId, "Remember how I work.");
      assert.match(toolResults(session), /pattern-anchors\.md/);
      assert.match(
        await readFile(join(dirname(workspace), "home", ".sparkle", "pattern-anchors.md"), "utf8"),
        new RegExp(insight),
      );
      const before = model.requests.length;
      const next = await client.newSession();
      await client.prompt(next.sessionId, "Where were we?");
      await client.prompt(next.sessionId, "Go on.");
      const conversation = model.requests.slice(before).filter(({ tools }) => tools.length > 0);
      const last = conversation.map(({ userText }) => userText).find((text) => text.includes("Go on."));
      assert.deepEqual(conversation.map(blocksIn), Array(conversation.length).fill(1));
      assert.match(last ?? "", new RegExp(`Where were we\\?[^]*${blockStart}[^]*${insight}[^]*Go on\\.`));
    });

    it("say what is remembered after what the user says, also to the model that makes titles", async function () {
      const { client, model, sessionId } = await open(this, say("Hello."));
      await client.prompt(sessionId, "Where were we?");
      const told = model.requests.map(({ userText }) => userText).filter((text) => text.includes(blockStart));
      assert.notEqual(told.length, 0);
      for (const text of told) assert.ok(text.indexOf("Where were we?") < text.indexOf(blockStart), text);
    });

    it("tell the model where the sources of a crate are", async function () {
      const result = await resultOf(this, /crate_sources$/, { crate_name: "greeter" }, "ferris/workspace");
      assert.match(result, /greeter[^]*0\.2\.0[^]*vendor[^]*greeter-0\.2/);
    });

    it("tell the model what cargo says", async function () {
      const result = await resultOf(this, /cargo_check$/, {}, "cargo/borrow");
      assert.match(result, /cargo check: exit 101[^]*4:17 E0382/);
    });

    it("have another session of the agent research a crate, and tell the model what it found", async function () {
      needsCargo(this);
      const finding = "greeter::greet takes a name, see lib.rs";
      const handIn = /return_response_to_user$/;
      const question = { crate_name: "greeter", prompt: "What does greet take?" };
      const session = await openWith(
        this,
        await fixture("ferris/workspace"),
        whenOffered(handIn, callToolWith(handIn, { response: finding }), callToolWith(/rust_crate_query$/, question)),
        whenOffered(handIn, say("Handed in."), say("Now I know.")),
      );
      const { stopReason } = await session.client.prompt(session.sessionId, "Ask about greeter.");
      const research = session.model.requests.filter(({ userText }) => userText.includes(question.prompt));
      assert.deepEqual(
        {
          stopReason,
          isAsked: research.some(({ tools }) => tools.some(({ name }) => handIn.test(name))),
          // Notes on the user are none of its business, and it does not ask others in turn.
          knowsUser: research.some((request) => blocksIn(request) > 0),
          canAsk: research.some(({ tools }) => tools.some(({ name }) => name.endsWith("rust_crate_query"))),
          isTold: toolResults(session).includes(finding),
          isShown: session.client.agentText.includes("Handed in."),
          isAnswered: session.client.agentText.includes("Now I know."),
        },
        {
          stopReason: "end_turn",
          isAsked: true,
          knowsUser: false,
          canAsk: false,
          isTold: true,
          isShown: false,
          isAnswered: true,
        },
      );
    });
  });
}

/** The files of a fixture, by their paths in it. */
async function fixture(name: string): Promise<Readonly<Record<string, string>>> {
  const folder = join(fixtures, name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (path) => [relative(folder, path), await readFile(path, "utf8")] as const)),
  );
}

/** The results that the models of a run were told, as one text. */
function toolResults({ model }: AgentSession): string {
  return model.requests.flatMap((request) => request.toolResults.map(({ text }) => text)).join("\n");
}

function blocksIn({ userText }: RecordedRequest): number {
  return userText.split(blockStart).length - 1;
}

function needsCargo(context: Mocha.Context): void {
  const reason = whyNoCargo({ ...environmentOfThisMachine(), PATH: pathWith() });
  if (reason !== undefined) skipBecause(context, reason);
}
