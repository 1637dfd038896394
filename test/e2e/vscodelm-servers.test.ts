import assert from "node:assert/strict";
import { join } from "node:path";
import type { AgentDefinition } from "@symposium-dev/core";
import { Conversation } from "../support/language-model/conversation.js";
import { LmProcess } from "../support/language-model/lm-process.js";
import { repositoryRoot } from "../support/repository.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { signedIn } from "../support/agents/signed-in.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say } from "../support/fake-model/script.js";
import { type JsonObject, parseObject } from "../support/json.js";
import { editorTools, runEditorTool } from "../support/language-model/editor-tools.js";
import { usePackage } from "../support/packages/use-package.js";
import { voicesOverHttp } from "../support/voices-server.js";

const clock = { command: "node", args: [join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js")] };
const agent: AgentDefinition = { eliza: { deterministic: true } };

describe("the MCP servers of an editor's settings behind a language model", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();
  const start = (): Promise<LmProcess> => LmProcess.start(scope(), { modelId: "model", agent });

  /** Returns the agent's list of the server's tools, and the result of calling one. */
  async function answersWith(lm: LmProcess, changes: Parameters<LmProcess["with"]>[0]): Promise<string> {
    const chat = new Conversation(lm.with(changes));
    const { text: tools } = await chat.say("list tools from clock");
    const { text: result } = await chat.say("use tool clock::now with {}");
    return `${tools}\n${result}`;
  }

  it("are its agent's, with its own tools and with the editor's", async () => {
    const lm = await start();
    for (const exposure of ["agent", "hybrid"] as const) {
      assert.match(await answersWith(lm, { exposure, mcpServers: { clock } }), /Tools of clock:[^]*now[^]*noon/);
    }
  });

  it("are not there for a model that works with the editor's tools alone", async () => {
    const lm = await start();
    assert.doesNotMatch(await answersWith(lm, { exposure: "raw", mcpServers: { clock } }), /Tools of clock|noon/);
  });

  it("are left out where they are switched off or meant for other agents", async () => {
    const lm = await start();
    for (const filtered of [
      { ...clock, enabled: false },
      { ...clock, agents: ["claude-code"] },
    ]) {
      assert.doesNotMatch(await answersWith(lm, { mcpServers: { clock: filtered } }), /Tools of clock|noon/);
    }
  });

  it("change for new conversations, and not in the middle of one", async () => {
    const lm = await start();
    const chat = new Conversation(lm.with({ mcpServers: { clock } }));
    assert.match((await chat.say("list tools from clock")).text, /Tools of clock/);
    const without = new Conversation(lm);
    without.messages.push(...chat.messages);
    assert.match((await without.say("use tool clock::now with {}")).text, /noon/);
    assert.doesNotMatch((await new Conversation(lm).say("list tools from clock")).text, /Tools of clock/);
  });
});

/** Tools that agents offer in addition to the editor's. */
const furtherTools: Readonly<Record<string, readonly string[]>> = {
  // It does nothing: Claude Code fills a list with it.
  claude: ["DeferredToolPlaceholder"],
  // Codex has no switch for these: they read what MCP servers offer, and ask the user.
  codex: ["list_mcp_resource_templates", "list_mcp_resources", "read_mcp_resource", "request_user_input"],
};

/** Configuration files with users' MCP servers for every session. Codex is missing, because these servers can't be turned off there. */
const userServers: Readonly<Record<string, (url: string) => readonly [file: string, content: JsonObject]>> = {
  claude: (url) => [".claude.json", { mcpServers: { voices: { type: "http", url } } }],
  copilot: (url) => [".copilot/mcp-config.json", { mcpServers: { voices: { type: "http", url, tools: ["*"] } } }],
  gemini: (httpUrl) => [".gemini/settings.json", { mcpServers: { voices: { httpUrl } } }],
  opencode: (url) => [".config/opencode/opencode.json", { mcp: { voices: { type: "remote", url } } }],
  qwen: (httpUrl) => [".qwen/settings.json", { mcpServers: { voices: { httpUrl } } }],
};

for (const recipe of agents) describeAgent(signedIn(recipe));

function describeAgent(recipe: AgentRecipe): void {
  describe(`${recipe.name} ${recipe.version} with the tools of VS Code alone`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("offers its model no tool of its own, and calls the editor's without asking", async function () {
      let fake: FakeModel | undefined;
      const lm = await LmProcess.start(scope(), async ({ folder }) => {
        const script = [callToolWith(/^(?:.*vscode_tools.*)?shout$/, { text: "Quiet" }), say("All done.")];
        fake = scope().use(await startFakeModel({ script }));
        const { url } = scope().use(await voicesOverHttp());
        const { words, env } = await agentCommand(withServer(recipe, url), binFolder(this), folder, fake.url);
        const [command = "", ...args] = words;
        return { modelId: recipe.name, agent: { name: recipe.name, command, args, env }, exposure: "raw" };
      });
      const chat = new Conversation(lm, {
        tools: editorTools(2),
        runs: ({ toolName, parameters }) => runEditorTool(toolName, parameters),
      });
      const { text, error } = await chat.say("Shout, please.");
      const names = (fake?.requests ?? [])
        .map(({ tools }) => tools.map(({ name }) => name))
        // Beside the conversation Qwen has a model judge calls, and keep notes of its own.
        .filter((offered) => recipe.name !== "qwen" || offered.some((name) => name.endsWith("shout")))
        .flat();
      assert.deepEqual(
        {
          error,
          says: /^Info:|All done\.$/.exec(text)?.[0],
          calls: chat.calls.map(({ toolName, parameters }) => [toolName, parameters]),
          asked: lm.permissions,
          tools: [...new Set(names.map((name) => name.replace(/^.*vscode_tools[_-]+/, "")))].sort(),
        },
        {
          error: undefined,
          says: "All done.",
          calls: [["shout", { text: "Quiet" }]],
          asked: [],
          tools: [...(furtherTools[recipe.name] ?? []), "shout", "whisper"],
        },
      );
    });
  });
}

/** The agent of a user who has an MCP server of their own. */
function withServer(recipe: AgentRecipe, url: string): AgentRecipe {
  const [file, content] = userServers[recipe.name]?.(url) ?? [];
  if (file === undefined) return recipe;
  const files = (modelUrl: string): Readonly<Record<string, string>> => {
    const others = recipe.files?.(modelUrl) ?? {};
    return { ...others, [file]: JSON.stringify({ ...parseObject(others[file] ?? "{}"), ...content }) };
  };
  return { ...recipe, files };
}
