// Records the conversations of core/test/quality/conversations with every agent that is in the cache: `node record-conversations.js`.
// Removes paths of this machine, and updates that `npm run quality` doesn't read.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { AcpClient } from "../acp-client.js";
import { agentCommand } from "../agents/agent-command.js";
import type { AgentRecipe } from "../agents/agent-recipe.js";
import { agents } from "../agents/agent-recipes.js";
import { throughConductor } from "../conductor-command.js";
import { startFakeModel } from "../fake-model/fake-model.js";
import { callTool, say, type ScriptStep, toolNames, whenOffered } from "../fake-model/script.js";
import { installPackage } from "../packages/install-package.js";
import { repositoryRoot } from "../repository.js";
import { createRunFolder } from "../run-folder.js";

interface Turn {
  readonly user: string;
  readonly steps: readonly {
    readonly command?: string;
    readonly rejected?: string;
    readonly write?: string;
    readonly content?: string;
  }[];
  readonly say: string;
}

const place = join(repositoryRoot, "core", "test", "quality", "conversations");
const scenarios = JSON.parse(await readFile(join(place, "scenarios.json"), "utf8")) as Record<
  string,
  { turns: Turn[] }
>;
const wanted = process.argv.slice(2);

for (const recipe of agents) {
  if (wanted.length > 0 && !wanted.includes(recipe.name)) continue;
  for (const [name, { turns }] of Object.entries(scenarios)) await record(recipe, name, turns);
}

async function record(recipe: AgentRecipe, name: string, turns: readonly Turn[]): Promise<void> {
  const installation = await installPackage(recipe);
  if (installation.kind !== "installed") return;
  await using folder = await createRunFolder(`${recipe.name}-${name}`);
  let script: readonly ScriptStep[] = [];
  let before: number | undefined;
  await using model = await startFakeModel({
    script: (request) => {
      if (request.tools.length > 0) before ??= request.toolResults.length;
      return [...Array.from({ length: before ?? 0 }, () => say("-")), ...script];
    },
  });
  const { words, env } = await agentCommand(recipe, installation.binFolder, folder, model.url);
  {
    const permissions: ("allow_once" | "allow_always" | "reject_once")[] = ["allow_once", "allow_always"];
    await using client = new AcpClient({ words: throughConductor(words), env, cwd: folder.workspace, permissions });
    await client.initialize();
    if (recipe.authMethod !== undefined) await client.authenticate(recipe.authMethod);
    const { sessionId } = await client.newSession();
    if (recipe.mode !== undefined) await client.setMode(sessionId, recipe.mode);
    for (const turn of turns) {
      const isRejected = turn.steps.some(({ rejected }) => rejected !== undefined);
      permissions.splice(
        0,
        permissions.length,
        ...(isRejected ? (["reject_once"] as const) : (["allow_once", "allow_always"] as const)),
      );
      before = undefined;
      script = [...turn.steps.map((step) => stepOf(step, folder.workspace)), say(turn.say)];
      await client
        .prompt(sessionId, turn.user)
        .catch((fault: unknown) => process.stderr.write(`${recipe.name}: ${String(fault)}\n`));
    }
  }
  const sessions = join(folder.home, ".symposium", "sessions");
  const [file = ""] = (await readdir(sessions)).filter((one) => one.endsWith(".jsonl"));
  const lines = (await readFile(join(sessions, file), "utf8")).replaceAll(folder.root, "/home/me").split("\n");
  const kept = lines.filter(
    (line) => !/"available_commands_update"|"agent_thought_chunk"|"config_option_update"/.test(line),
  );
  await writeFile(join(place, `${recipe.name}-${name}.jsonl.gz`), gzipSync(kept.join("\n"), { level: 9 }));
  process.stdout.write(`${recipe.name}-${name}: ${kept.length} lines\n`);
}

function stepOf({ command, rejected, write, content }: Turn["steps"][number], workspace: string): ScriptStep {
  const line = command ?? rejected;
  if (line !== undefined) return callTool(toolNames.command, { command: line });
  const path = join(workspace, write ?? "");
  const byCommand = callTool(toolNames.command, { command: `printf '%s' '${content ?? ""}' > ${path}` });
  return whenOffered(toolNames.write, callTool(toolNames.write, { path, content: content ?? "" }), byCommand);
}
