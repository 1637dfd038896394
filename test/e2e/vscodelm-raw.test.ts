import assert from "node:assert/strict";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { signedIn } from "../support/agents/signed-in.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say } from "../support/fake-model/script.js";
import { type JsonObject, parseObject } from "../support/json.js";
import { Conversation } from "../support/language-model/conversation.js";
import { editorTools, runEditorTool } from "../support/language-model/editor-tools.js";
import { LmProcess } from "../support/language-model/lm-process.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { voicesOverHttp } from "../support/voices-server.js";
import { scaledMs } from "../support/until.js";

/** What stands beside the editor's tools all the same. */
const furtherTools: Readonly<Record<string, readonly string[]>> = {
  // It does nothing: Claude Code fills a list with it.
  claude: ["DeferredToolPlaceholder"],
  // Codex has no switch for these: they read what MCP servers offer, and ask the user.
  codex: ["list_mcp_resource_templates", "list_mcp_resources", "read_mcp_resource", "request_user_input"],
};

/** Where agents have the MCP servers that their users want in every session; Codex has no switch for these, either. */
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
