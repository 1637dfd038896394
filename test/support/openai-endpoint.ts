import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import OpenAI from "openai";
import { Child } from "./child.js";
import { conductorProgram } from "./conductor-command.js";
import type { RunFolder } from "./run-folder.js";
import { commandEnvironment } from "./started-command.js";
import { stringOf } from "./json.js";
import { scaledMs } from "./until.js";

const startLimitMs = 120_000;

/** `serve-openai` on a free port, and the official client for it. */
export interface OpenAiEndpoint extends AsyncDisposable {
  readonly child: Child;
  readonly address: string;
  readonly token: string;
  readonly client: OpenAI;
}

/** Starts the endpoint before these agents, in shell words; `env` is that of the agents. */
export async function startOpenAiEndpoint(
  folder: RunFolder,
  agents: readonly string[],
  env: Readonly<Record<string, string>> = commandEnvironment(folder),
): Promise<OpenAiEndpoint> {
  const options = agents.flatMap((agent) => ["--agent", agent]);
  const words = ["node", conductorProgram, "serve-openai", "--port", "0", "--folder", folder.workspace, ...options];
  const child = new Child({ words, env, cwd: folder.workspace });
  const lines = createInterface({ input: child.process.stdout });
  const first = once(lines, "line", { signal: AbortSignal.timeout(scaledMs(startLimitMs)) });
  const ended = child.exited.then((sentence) => Promise.reject(new Error(`${sentence}: ${child.stderrTail}`)));
  const [line] = (await Promise.race([first, ended])) as readonly unknown[];
  const address = stringOf(line);
  const token = (await readFile(join(folder.root, "config", "openai-token"), "utf8")).trim();
  return {
    child,
    address,
    token,
    client: new OpenAI({ apiKey: token, baseURL: address, maxRetries: 0 }),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
