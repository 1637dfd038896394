import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { callTool, callToolWith, type ScriptStep, talkUntilCancelled, toolNames } from "../fake-model/script.js";
import { survivingProcesses } from "../surviving-processes.js";
import type { AgentRecipe } from "./agent-recipe.js";
import { writtenText } from "./agent-recipes.js";
import { openSession } from "./agent-session.js";
import { isStreamed } from "./agent-turns.js";
import { sandboxed } from "./routes.js";
import { widestModes } from "./widest-modes.js";

/**
 * Checks a turn in a sandbox with the user's rules. The agent writes to the workspace and nothing outside. It reaches the allowed host
 * and runs no denied command. It stops when cancelled, and leaves no process when the conductor is killed.
 */
export async function staysInSandbox(
  scope: AsyncDisposableStack,
  recipe: AgentRecipe,
  binFolder: string,
): Promise<void> {
  // Signing in writes settings outside of the sandbox.
  const { authMethod: _none, ...signedIn } = recipe;
  const agent = { recipe: recipe.name === "qwen" ? signedIn : recipe, binFolder, route: sandboxed };
  const outside = "../outside.txt";
  const { client, model, sessionId, workspace, home } = await openSession(scope, agent, {
    script: (folder) => [
      creates(recipe, join(folder, "inside.txt")),
      creates(recipe, join(folder, outside)),
      fetches("asked.example.test", "asked"),
      fetches("refused.example.test", "refused"),
      runs(recipe, "cat denied.txt"),
      runs(recipe, "head -n 1 read.txt"),
      talkUntilCancelled,
    ],
    mode: widestModes[recipe.name],
    files: {
      workspace: { "denied.txt": "the-denied-words", "read.txt": "the-read-words" },
      home: (modelUrl) => ({
        ".symposium/guard.jsonc": JSON.stringify({
          rules: [
            { effect: "allow", host: new URL(modelUrl).host },
            { effect: "deny", host: "refused.example.test", reason: "No." },
            { effect: "deny", command: ["cat", "git push"] },
          ],
        }),
      }),
    },
  });
  const turn = client.prompt(sessionId, "Create both files, fetch both hosts and look at the files.");
  await Promise.race([client.update(isStreamed), turn]);
  await client.cancel(sessionId);
  const { stopReason } = await turn;
  const titles = client.permissionRequests.map(({ toolCall }) => toolCall.title ?? "");
  const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
  const log = await readFile(join(home, ".symposium", "guard", "log.jsonl"), "utf8");
  const decided = log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly subject: string; readonly answer: string })
    .map(({ subject, answer }) => `${answer} ${subject}`)
    .filter((line) => line.includes(".example.test"));
  assert.deepEqual(
    {
      stopReason,
      inside: (await readFile(join(workspace, "inside.txt"), "utf8")).trim(),
      hasOutside: existsSync(join(workspace, outside)),
      asked: titles.filter((title) => /\.test:\d+$/.test(title)),
      decided,
      statuses: await Promise.all(["asked", "refused"].map((name) => readFile(join(workspace, name), "utf8"))),
      seen: ["the-denied-words", "the-read-words"].filter((words) => results.includes(words)),
    },
    {
      stopReason: "cancelled",
      inside: writtenText,
      hasOutside: false,
      asked: ["asked.example.test:80"],
      decided: ["allow host asked.example.test:80", "deny host refused.example.test:80"],
      statuses: ["502", "403"],
      seen: ["the-read-words"],
    },
    results,
  );
  const running = await survivingProcesses(home, 0);
  const [conductor] = [...running].find(([, words]) => words.includes("run-with")) ?? [];
  assert.ok(conductor !== undefined && running.size > 2, "the conductor, bubblewrap and the agent run");
  process.kill(conductor, "SIGKILL");
  assert.deepEqual(await survivingProcesses(home, 20_000), new Map());
}

/** Codex's own sandbox is off, and with it the question that its commands may ask for. */
function creates(recipe: AgentRecipe, path: string): ScriptStep {
  return recipe.name === "codex" ? runs(recipe, `echo ${writtenText} > ${path}`) : recipe.createsFile(path);
}

function runs(recipe: AgentRecipe, command: string): ScriptStep {
  return callToolWith(
    toolNames.command,
    recipe.name === "codex" ? { cmd: command } : { command, description: "Look." },
  );
}

/** Writes the status of the answer to a file: 502 for a host that is let through, since `.test` has no addresses, else 403. */
function fetches(host: string, file: string): ScriptStep {
  const command = `curl -s -o /dev/null -w '%{http_code}' http://${host}/ > ${file}`;
  return callTool(toolNames.command, { command });
}
