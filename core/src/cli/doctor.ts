import { SymposiumError } from "../base/symposium-error.js";
import type { ConfigState } from "../node/config-file.js";
import type { Component } from "../settings/component-spec.js";
import { formatProblem } from "../settings/problem.js";
import { formatShellWords } from "../settings/shell-words.js";
import { parseCommandLine } from "./command-line.js";
import { findAgentCommand, readAgentText } from "./components.js";
import { readConfiguration } from "./configuration.js";
import { type AgentCheckOptions, checkAgent } from "./doctor/agent-check.js";
import { checkCommand, type CheckCommandOptions } from "./doctor/check-command.js";
import { checked, type Finding } from "./doctor/finding.js";
import { checkLanguageServers } from "./doctor/language-server-check.js";
import { checkTools } from "./doctor/tool-check.js";

/**
 * `doctor [AGENT]`: looks at the tools, the configuration, and the agent it names or the one given, which it starts.
 * A line each on stdout, or with `--json` one line of JSON. The exit code is 1 when something fails.
 */
export async function doctor(words: readonly string[]): Promise<number> {
  const known = { json: { type: "boolean" }, log: { type: "string" } } as const;
  const { values, positionals } = parseCommandLine("doctor", words, known, true);
  const [text, ...others] = positionals;
  if (others.length > 0) {
    throw new SymposiumError("invalid-arguments", "doctor takes one agent.", "Put a command with spaces in quotes.");
  }
  const state = await readConfiguration();
  const config = state.state === "ok" ? state.config : undefined;
  const options: CheckCommandOptions = {
    log: values.log,
    isJson: values.json === true,
    ...(config && { settings: config.settings }),
  };
  return checkCommand(options, async (environment, signal) => {
    const tools = await checkTools(environment.chain.startProcess, signal);
    const agent = text === undefined ? config?.agent : readAgentText(text);
    const signInWords = text === undefined ? "" : ` --agent ${quoted(text)}`;
    return [
      ...tools,
      ...(await checkLanguageServers(process.cwd(), config?.proxies, signal)),
      ...configFindings(state),
      ...(await agentFindings(agent, { environment, signal, signInWords })),
    ];
  });
}

function configFindings(state: ConfigState): readonly Finding[] {
  const { ok, warn, fail } = checked("config");
  switch (state.state) {
    case "absent":
      return [warn(`${state.file} does not exist`, "Run `symposium-acp-agent setup`, or start it in an editor.")];
    case "broken":
      return state.problems.map(({ hint, ...problem }) => fail(formatProblem(problem, state.file), hint));
    case "ok":
      return [
        ok(state.file),
        ...state.problems.map(({ hint, ...problem }) => warn(formatProblem(problem, state.file), hint)),
      ];
  }
}

async function agentFindings(agent: Component | undefined, options: AgentCheckOptions): Promise<readonly Finding[]> {
  const { ok, warn, fail } = checked("agent");
  if (!agent) return [warn("none is configured", "Run `symposium-acp-agent setup`, or name one: doctor AGENT.")];
  try {
    const component = await findAgentCommand(agent);
    if (component === "eliza") return [ok("Eliza is part of this program and needs nothing")];
    return [ok(component.name), ...(await checkAgent(component, options))];
  } catch (failure) {
    options.signal.throwIfAborted();
    if (!(failure instanceof SymposiumError)) throw failure;
    return [fail(failure.message, failure.hint)];
  }
}

function quoted(text: string): string {
  return formatShellWords({ command: text, args: [], env: {} }) ?? text;
}
