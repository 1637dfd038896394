import { homedir } from "node:os";
import { SymposiumError } from "../../../base/symposium-error.js";
import { startProcess } from "../../../base/node/child-component.js";
import { type AgentServer, agentTextOf, withHome } from "../../../agents/zed/agent-server.js";
import { installedAgentServers } from "../../../agents/zed/installed-agents.js";
import { checkAgent } from "../doctor/agent-check.js";
import { checkCommand } from "../findings/run-check.js";
import { checked, type Finding } from "../findings/finding.js";
import type { Environment } from "../../environment.js";
import { logOption } from "../options.js";
import { subcommand } from "../subcommand.js";
import { settingsOptions } from "./chains.js";
import { chooseSettings, readSettings } from "../../../agents/zed/node/settings-file.js";

/**
 * `zed doctor`: starts every Symposium entry of Zed's settings as Zed would: in this folder, without a shell, with a desktop's few
 * variables and Zed's `initialize`. Exits with 1 if a check fails.
 */
export const doctor = subcommand({
  name: "zed doctor",
  about: "Start each Symposium entry in Zed's settings as Zed would, and report problems.",
  options: { ...settingsOptions, json: { about: "print the findings as one line of JSON" }, ...logOption },
  async run({ values }) {
    const { file } = chooseSettings({ settings: values.settings, isFlatpak: values.flatpak === true });
    return checkCommand({ log: values.log, isJson: values.json === true }, (environment, signal) =>
      check(file, environment, signal),
    );
  },
});

async function check(file: string, environment: Environment, signal: AbortSignal): Promise<readonly Finding[]> {
  const { ok, warn, fail } = checked("settings");
  const remedy = "Run `symposium-acp-agent zed install`.";
  let servers: readonly AgentServer[];
  try {
    const text = await readSettings(file);
    if (text === undefined) return [warn(`${file} does not exist`, remedy)];
    servers = installedAgentServers(text, file);
  } catch (failure) {
    if (!(failure instanceof SymposiumError)) throw failure;
    return [fail(failure.message, failure.hint)];
  }
  if (servers.length === 0) return [warn(`no agent in ${file} is Symposium`, remedy)];
  const findings: Finding[] = [ok(file)];
  // Check the entries one after another, so that one start doesn't slow down the next.
  for (const server of servers) findings.push(...(await checkEntry(server, environment, signal)));
  return findings;
}

async function checkEntry(
  { name, command }: AgentServer,
  environment: Environment,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const start = startProcess({
    logger: environment.logger.child("process"),
    watchdog: environment.watchdog,
    env: zedEnvironment(process.env, process.platform),
  });
  const asZed = { ...environment, chain: { ...environment.chain, startProcess: start } };
  const agent = agentTextOf(command);
  const signInWords = agent === undefined ? "" : ` --agent '${agent}'`;
  const program = withHome(command.command, homedir());
  const component = { kind: "process", name, command: { ...command, command: program, cwd: process.cwd() } } as const;
  const options = { environment: asZed, signal, signInWords, asClient: zed };
  const findings = await checkAgent(component, options);
  return findings.map((finding) => ({ ...finding, check: `${name}, ${finding.check}` }));
}

const kept = [
  ...["HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LC_ALL", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY"],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"],
];
const keptOnWindows = [
  ...["PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "WINDIR", "TEMP", "TMP"],
  ...["USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES"],
];

function zedEnvironment(env: NodeJS.ProcessEnv, platform: string): NodeJS.ProcessEnv {
  const names = new Set(platform === "win32" ? keptOnWindows : kept);
  const isKept = (name: string): boolean => names.has(platform === "win32" ? name.toUpperCase() : name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}

/** Client information that Zed has sent in `initialize` since about version 1.11. */
const zed = {
  capabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    auth: { terminal: true },
    session: { configOptions: { boolean: {} } },
    elicitation: { form: {}, url: {} },
    _meta: { terminal_output: true, "terminal-auth": true },
  },
  clientInfo: { name: "zed", title: "stable", version: "1.11.0" },
} as const;
