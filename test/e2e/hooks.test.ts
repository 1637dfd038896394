import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { claude, codex, copilot, gemini, opencode, qwen } from "../support/agents/agent-recipes.js";
import { openSession } from "../support/agents/agent-session.js";
import { throughConductor } from "../support/conductor-command.js";
import { callToolWith, say, toolNames } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const route = { name: "through the conductor", words: (words: readonly string[]) => throughConductor(words) };

/** Denies what makes a file, and writes down all events. */
const command = "touch by-command.txt";
const hook = 'cat >> "$HOME/events.jsonl"; echo "No new files." >&2; exit 2';
const logging = 'cat >> "$HOME/events.jsonl"';
const hooks = {
  PreToolUse: [{ matcher: "Bash|Write|Edit", hooks: [{ type: "command", command: hook }] }],
  UserPromptSubmit: [{ hooks: [{ type: "command", command: `${logging}; echo The weather is fine.` }] }],
  Stop: [{ hooks: [{ type: "command", command: logging }] }],
};

/** OpenCode as it is without rules of its user. */
const defaultOpencode: AgentRecipe = {
  ...opencode,
  env: (modelUrl) => {
    const { OPENCODE_CONFIG_CONTENT: config = "{}", ...env } = opencode.env(modelUrl);
    const { permission: _permission, ...others } = JSON.parse(config) as Readonly<Record<string, unknown>>;
    return { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify(others) };
  },
};

interface Row {
  readonly recipe: AgentRecipe;
  /** Whether the agent asks before such calls in this mode; see `asksFirst` in the table of agents. */
  readonly asks: boolean;
  readonly mode?: string;
  /** Tools that the hooks see. */
  readonly tools: readonly string[];
}

const both = ["Bash", "Write"];

const rows: readonly Row[] = [
  { recipe: claude, asks: true, tools: both },
  // A denial ends the turn.
  { recipe: opencode, asks: true, tools: ["Bash"] },
  { recipe: defaultOpencode, asks: false, tools: both },
  { recipe: gemini, asks: true, tools: both },
  // Codex makes the file with a second command.
  { recipe: codex, asks: false, tools: ["Bash", "Bash"] },
  // In its first mode, a model decides. A denial ends the turn.
  { recipe: qwen, asks: true, mode: "default", tools: ["Bash"] },
  { recipe: copilot, asks: true, tools: ["Bash"] },
];

for (const { recipe, asks, mode, tools } of rows) {
  const way = recipe === defaultOpencode ? ", without permission settings" : "";
  describe(`${recipe.name} ${recipe.version} with hooks of config.jsonc${way}`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("is denied what it asks for, as the table of agents says, and gets the context of its prompt", async function () {
      const { client, sessionId, model, workspace, home } = await openSession(
        scope(),
        { recipe, binFolder: binFolder(this), route },
        {
          script: (folder) => [
            callToolWith(
              toolNames.command,
              recipe === codex ? { cmd: command } : { command, description: "Make a file." },
            ),
            recipe.createsFile(join(folder, "by-tool.txt")),
            say("All done."),
          ],
          mode,
          files: { home: { ".symposium/config.jsonc": JSON.stringify({ hooks }) } },
        },
      );
      await client.prompt(sessionId, "Make the files.");
      const isMade = (name: string): boolean => existsSync(join(workspace, name));
      assert.deepEqual({ Bash: isMade("by-command.txt"), Edit: isMade("by-tool.txt") }, { Bash: !asks, Edit: !asks });
      assert.match(JSON.stringify(model.requests), /The weather is fine\./);
      const log = await readFile(join(home, "events.jsonl"), "utf8");
      const events = log.split("\n").flatMap((line) => {
        if (line === "") return [];
        const { hook_event_name, tool_name } = JSON.parse(line) as Readonly<Record<string, string>>;
        return [[hook_event_name, tool_name].filter(Boolean).join(" ")];
      });
      assert.deepEqual(events, ["UserPromptSubmit", ...tools.map((tool) => `PreToolUse ${tool}`), "Stop"], log);
      assert.match(log, /"command":"touch by-command\.txt"/);
    });
  });
}
