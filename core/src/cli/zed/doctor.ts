import { homedir } from "node:os";
import { SymposiumError } from "../../base/symposium-error.js";
import { startProcess } from "../../node/child-component.js";
import { type AgentServer, agentTextOf, withHome } from "../../zed/agent-server.js";
import { zedInitializeParams } from "../../zed/initialize-params.js";
import { installedAgentServers } from "../../zed/installed-agents.js";
import { checkAgent } from "../doctor/agent-check.js";
import { checkCommand } from "../doctor/check-command.js";
import { checked, type Finding } from "../doctor/finding.js";
import type { Environment } from "../environment.js";
import { logOption } from "../options.js";
import { subcommand } from "../subcommand.js";
import { settingsOptions } from "./settings-options.js";
import { zedEnvironment } from "./zed-environment.js";
import { chooseSettings, readSettings } from "./zed-settings.js";

/**
 * `zed doctor`: reads Zed's settings and starts every entry of ours as Zed would, in this folder: without a shell, with
 * an environment of the desktop's few variables and Zed's own `initialize`. The exit code is 1 when something fails.
 */
export const doctor = subcommand({
  name: "zed doctor",
  about: "Start every entry of ours in Zed's settings as Zed would, and say how it goes.",
  options: { ...settingsOptions, json: { about: "the findings as one line of JSON" }, ...logOption },
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
  if (servers.length === 0) return [warn(`no agent of ${file} is Symposium`, remedy)];
  const findings: Finding[] = [ok(file)];
  // One after the other: what one of them starts must not slow the next one down.
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
  const options = { environment: asZed, signal, signInWords, initializeParams: zedInitializeParams };
  const findings = await checkAgent(component, options);
  return findings.map((finding) => ({ ...finding, check: `${name}, ${finding.check}` }));
}
