import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import { AcpClient } from "../support/acp-client.js";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { startFakeModel, type FakeModel } from "../support/fake-model/fake-model.js";
import type { ScriptStep } from "../support/fake-model/script.js";
import { createRunFolder } from "../support/run-folder.js";
import { survivingProcesses } from "../support/surviving-processes.js";

/** The way from the client to the agent: turns the agent's words into the words that are started. */
export interface Route {
  readonly name: string;
  readonly words: (agentWords: readonly string[]) => readonly string[];
}

/** An agent that is installed, and the way to it. */
export interface AgentUnderTest {
  readonly recipe: AgentRecipe;
  readonly binFolder: string;
  readonly route: Route;
}

export interface AgentSession {
  readonly model: FakeModel;
  readonly client: AcpClient;
  readonly sessionId: string;
  readonly workspace: string;
  readonly home: string;
}

type Files = Readonly<Record<string, string>>;

interface SessionOptions {
  /** What the model does; it may depend on where the workspace is. */
  readonly script: (workspace: string) => readonly ScriptStep[];
  readonly mcpServers?: (client: AcpClient) => McpServer[];
  /** Answers the forms of the agent, which else shows none. */
  readonly answerForm?: ConstructorParameters<typeof AcpClient>[0]["answerForm"];
  /** The session mode to switch to; the agent's first one by default. */
  readonly mode?: string | undefined;
  /** Files of the workspace and of the home folder, by their paths in these. */
  readonly files?: { readonly workspace?: Files; readonly home?: Files | ((modelUrl: string) => Files) };
  /** How long the processes of the run may take to be gone after the session. */
  readonly endGraceMs?: number;
}

/** Starts the agent over its route against a model of its own and opens a session; `scope` owns all of it. */
export async function openSession(
  scope: AsyncDisposableStack,
  { recipe, binFolder, route }: AgentUnderTest,
  options: SessionOptions,
): Promise<AgentSession> {
  const folder = scope.use(await createRunFolder(recipe.name));
  const model = scope.use(await startFakeModel({ script: options.script(folder.workspace) }));
  const { words, env } = await agentCommand(recipe, binFolder, folder, model.url);
  await writeFiles(folder.workspace, options.files?.workspace);
  const { home } = options.files ?? {};
  await writeFiles(folder.home, typeof home === "function" ? home(model.url) : home);
  scope.defer(() => leavesNoProcess(folder.root, options.endGraceMs));
  const client = scope.use(
    new AcpClient({
      words: route.words(words),
      env,
      cwd: folder.workspace,
      ...(options.answerForm && { answerForm: options.answerForm }),
    }),
  );
  await client.initialize();
  if (recipe.authMethod !== undefined) await client.authenticate(recipe.authMethod);
  const { sessionId } = await client.newSession(options.mcpServers?.(client));
  if (options.mode !== undefined) await client.setMode(sessionId, options.mode);
  return { model, client, sessionId, workspace: folder.workspace, home: folder.home };
}

async function writeFiles(folder: string, files: Files = {}): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Every process of the run has the path of its folder in its environment. */
async function leavesNoProcess(folder: string, graceMs: number | undefined): Promise<void> {
  assert.deepEqual(await survivingProcesses(folder, graceMs), new Map());
}
