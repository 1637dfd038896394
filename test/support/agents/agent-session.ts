import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import { AcpClient } from "../acp-client.js";
import { agentCommand } from "./agent-command.js";
import type { AgentRecipe } from "./agent-recipe.js";
import { startFakeModel, type FakeModel } from "../fake-model/fake-model.js";
import type { ScriptStep } from "../fake-model/script.js";
import { usePackage } from "../packages/use-package.js";
import { createRunFolder, type RunFolder } from "../run-folder.js";
import { survivingProcesses } from "../surviving-processes.js";

/** The way from the client to the agent: turns the agent's words into the words that are started. */
export interface Route {
  readonly name: string;
  readonly words: (agentWords: readonly string[]) => readonly string[];
}

/** An agent that is installed, and the way to it. */
interface AgentUnderTest {
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

interface StartOptions {
  /** Answers the forms of the agent; without it the client announces no forms. */
  readonly answerForm?: ConstructorParameters<typeof AcpClient>[0]["answerForm"];
  /** Files of the workspace and of the home folder, by their paths in these. */
  readonly files?: { readonly workspace?: Files; readonly home?: Files | ((modelUrl: string) => Files) };
  /** Milliseconds that the processes of the run may take to be gone after the session. */
  readonly endGraceMs?: number;
}

interface SessionOptions {
  /** The prompt by which the model recognises the session's requests; without it, all requests follow the script. */
  readonly prompt?: string;
  /** The model's steps; they may depend on the path of the workspace. */
  readonly script: (workspace: string) => readonly ScriptStep[];
  readonly mcpServers?: (client: AcpClient) => McpServer[];
  /** The session mode to switch to; the agent's first one by default. */
  readonly mode?: string | undefined;
}

/** One agent process and one fake model. They serve several sessions, one after the other. */
export interface StartedAgent {
  readonly recipe: AgentRecipe;
  readonly client: AcpClient;
  readonly folder: RunFolder;
  /** Opens a session with a script of its own. The client and the model forget the session before. */
  readonly open: (options: SessionOptions) => Promise<AgentSession>;
}

/** Starts the agent over its route against a model of its own; `scope` owns all of it. */
export async function startAgent(
  scope: AsyncDisposableStack,
  { recipe, binFolder, route }: AgentUnderTest,
  options: StartOptions = {},
): Promise<StartedAgent> {
  const folder = scope.use(await createRunFolder(recipe.name));
  const model = scope.use(await startFakeModel({ script: [] }));
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
  const open = async ({ prompt = "", script, mcpServers, mode }: SessionOptions): Promise<AgentSession> => {
    client.forget();
    model.begin(script(folder.workspace), prompt);
    const { sessionId } = await client.newSession(mcpServers?.(client));
    if (mode !== undefined) await client.setMode(sessionId, mode);
    return { model, client, sessionId, workspace: folder.workspace, home: folder.home };
  };
  return { recipe, client, folder, open };
}

/** Starts the agent and opens its only session. */
export async function openSession(
  scope: AsyncDisposableStack,
  agent: AgentUnderTest,
  options: StartOptions & SessionOptions,
): Promise<AgentSession> {
  const started = await startAgent(scope, agent, options);
  return started.open(options);
}

/**
 * Starts one agent when the first test of the enclosing suite asks for it, and ends it after the last one. Skips tests with the
 * reason for which the agent cannot be installed.
 */
export function useAgent(
  recipe: AgentRecipe,
  route: Route,
  options: StartOptions = {},
): (context: Mocha.Context) => Promise<StartedAgent> {
  const scope = new AsyncDisposableStack();
  const binFolder = usePackage(recipe);
  let started: Promise<StartedAgent> | undefined;
  after(() => scope.disposeAsync());
  return (context) => {
    const agent = { recipe, binFolder: binFolder(context), route };
    return (started ??= startAgent(scope, agent, options));
  };
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
