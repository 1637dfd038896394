import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd } from "./child.js";
import { conductorProgram } from "./conductor-command.js";
import { arrayOf, objectOf, parseObject, stringOf } from "./json.js";
import type { RunFolder } from "./run-folder.js";
import { commandEnvironment } from "./started-command.js";
import { survivingProcesses } from "./surviving-processes.js";
import { ZedClient, type ZedAgentServer, type ZedOptions } from "./zed-client.js";

const limitMs = 120_000;

/** A Zed with settings that `zed install` has changed, and the folder of its run. */
export interface InstalledZed {
  readonly zed: ZedClient;
  readonly folder: RunFolder;
}

/** Installs the chain before `agentWords` into the settings of an empty home, and connects a Zed to that entry. */
export async function installInZed(
  scope: AsyncDisposableStack,
  folder: RunFolder,
  agent: { readonly text: string; readonly env: Readonly<Record<string, string>> },
  options: Pick<ZedOptions, "contextServers"> & { readonly defaults?: Readonly<Record<string, string>> } = {},
): Promise<InstalledZed> {
  const env = { ...agent.env, ...commandEnvironment(folder), PATH: agent.env["PATH"] ?? "" };
  const words = ["node", conductorProgram, "zed", "install", "--agent", agent.text];
  const { code, stderr } = await runToEnd({ words, env, cwd: folder.workspace }, limitMs);
  assert.equal(code, 0, stderr);
  const settings = parseObject(await readFile(join(folder.home, ".config", "zed", "settings.json"), "utf8"));
  const [entry] = Object.values(objectOf(settings["agent_servers"])).map(objectOf);
  const server: ZedAgentServer = {
    command: stringOf(entry?.["command"]),
    args: arrayOf(entry?.["args"]).map(stringOf),
    env: Object.fromEntries(Object.entries(objectOf(entry?.["env"])).map(([name, value]) => [name, stringOf(value)])),
    ...(options.defaults && { default_config_options: options.defaults }),
  };
  scope.defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map()));
  const zed = scope.use(new ZedClient({ server, project: folder.workspace, env, ...options }));
  await zed.connect();
  return { zed, folder };
}
