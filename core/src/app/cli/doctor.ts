import { invalidArguments, SymposiumError } from "../../base/symposium-error.js";
import { probeSandbox } from "../../guard/node/sandbox/probe.js";
import type { ConfigState } from "../../settings/node/config-file.js";
import { configFolder } from "../../base/node/own-program.js";
import { describeStarts } from "../../agents/project-starts/agent-starts.js";
import type { Component } from "../../settings/component-spec.js";
import { plainText } from "../../agents/registry/registry-entry.js";
import { formatProblem } from "../../base/problem.js";
import {
  byOrganisation,
  describePolicy,
  extensionFault,
  type ManagedPolicy,
} from "../../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../../settings/managed-policy/node/system-policy.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { formatShellWords } from "../../base/shell-words.js";
import type { UserServer } from "../../settings/user-server.js";
import { ProtectionLevels } from "../../guard/node/protection-levels.js";
import { findAgentCommand, readAgentText } from "../../agents/node/find-agent.js";
import { defaultExtensions } from "../../extensions/extension-names.js";
import { readConfiguration } from "../read-user-config.js";
import type { Environment } from "../environment.js";
import { assertAgentAllowed } from "../organisation.js";
import { trustRemedy } from "../../settings/trust/folder-trust.js";
import { type AgentCheckOptions, checkAgent } from "./doctor/agent-check.js";
import { checkCommand, type CheckCommandOptions, printFindings } from "./findings/run-check.js";
import { checked, type Finding } from "./findings/finding.js";
import { checkLanguages } from "./doctor/language-check.js";
import { checkLanguageServers, checkTools } from "./doctor/tool-check.js";
import { checkOwnFiles } from "./doctor/own-files-check.js";
import { checkValues } from "./doctor/value-check.js";
import { missingValues } from "./mcp/missing-values.js";
import { logOption, trustOption } from "./options.js";
import { subcommand } from "./subcommand.js";
import { rowOfCommand } from "../../agents/agent-quirks.js";
import type { ProcessComponent } from "../../conductor/chain/component.js";
import { describeReach } from "../../guard/hooks/hook-reach.js";
import { organisationRules } from "../../guard/node/organisation-rules.js";

/**
 * `doctor [AGENT]`: checks the tools, the configuration and the agent, which it starts. Prints one line per finding, or one JSON line with
 * `--json`. Exits with 1 if a check fails.
 */
export const doctor = subcommand({
  name: "doctor",
  about: "Check tools, configuration and agent, and suggest a fix for each problem.",
  arguments: { "[AGENT]": "the agent to check (default: the configured agent); put commands with spaces in quotes" },
  options: {
    agent: { value: "X", about: "same as AGENT" },
    json: { about: "print the findings as one line of JSON" },
    editor: { about: "for editors with their own settings: check only the syntax of config.jsonc" },
    ...trustOption,
    ...logOption,
  },
  async run({ values, positionals: [positional] }) {
    const text = positional ?? values.agent;
    if (values.agent !== undefined && positional !== undefined) {
      throw invalidArguments("The agent is given twice.", "Leave --agent out.");
    }
    const policy = await policyFindings();
    if (policy.some(({ status }) => status === "fail")) return printFindings(policy, values.json === true);
    const state = await readConfiguration();
    const config = state.state === "ok" ? state.config : undefined;
    // An editor passes the agent and extensions itself; config.jsonc only provides the registry's addresses.
    const isEditor = values.editor === true;
    const chosen = isEditor ? undefined : config;
    const options: CheckCommandOptions = {
      log: values.log,
      isJson: values.json === true,
      trustedFolders: values["trusted-folder"],
      ...(config && { settings: config.settings }),
    };
    return checkCommand(options, async (environment, signal) => {
      const tools = await checkTools(signal);
      const agent = text === undefined ? chosen?.agent : readAgentText(text);
      const named = text === undefined ? "" : (formatShellWords({ command: text, args: [], env: {} }) ?? text);
      const signInWords = named === "" ? "" : ` --agent ${named}`;
      return [
        ...policy,
        ...tools,
        ...(await sandboxFindings(await ProtectionLevels.read(options.settings?.guard ?? defaultSettings.guard))),
        ...(await checkLanguages(process.cwd())),
        ...(await checkLanguageServers(process.cwd(), chosen?.proxies, environment.trust, signal)),
        ...(await serverFindings(config?.servers ?? [])),
        ...(isEditor ? [] : extensionFindings(state, await systemPolicy())),
        ...(await checkOwnFiles()),
        ...(isEditor ? configFindings(state).filter(isFault) : configFindings(state)),
        ...(isEditor ? [] : await folderFindings(state, environment)),
        ...(!agent && (isEditor || state.state === "broken")
          ? []
          : await agentFindings(agent, { environment, signal, signInWords })),
      ];
    });
  },
});

async function sandboxFindings(levels: ProtectionLevels): Promise<readonly Finding[]> {
  const { ok, fail } = checked("sandbox");
  const isUsed = levels.areSandboxed("any");
  const state = await probeSandbox(configFolder());
  if (state.isThere) {
    const use = isUsed ? "agents run in it" : "not in use";
    const weaker = state.isRoot ? "; it is weaker for root than for an ordinary user" : "";
    const untried = state.note === undefined ? "" : `; it is ${state.note}`;
    return [ok(`starts with ${state.program}, ${use}${weaker}${untried}`)];
  }
  if (isUsed) return [fail(`isn't available: ${state.reason}`, state.remedy)];
  return [{ ...ok(`not in use and not available: ${state.reason}`), remedy: state.remedy }];
}

function configFindings(state: ConfigState): readonly Finding[] {
  const { ok, warn, fail } = checked("config");
  switch (state.state) {
    case "absent":
      return [
        {
          ...warn(`${state.file} does not exist`, "Run `symposium-acp-agent setup`, or open a session in an editor."),
          missing: "configuration",
        },
      ];
    case "broken":
      return state.problems.map(({ hint, ...problem }) =>
        fail(
          formatProblem(problem, state.file),
          hint ?? "Fix the file. Until then, Symposium ignores everything in it.",
        ),
      );
    case "ok":
      return [
        ok(state.file),
        ...state.problems.map(({ hint, ...problem }) => warn(formatProblem(problem, state.file), hint)),
      ];
  }
}

/** Lists the extensions that the configuration enables, since users may not know about extensions. */
function extensionFindings(state: ConfigState, policy: ManagedPolicy | undefined): readonly Finding[] {
  if (state.state === "broken") return [];
  const entries = state.state === "ok" ? state.config.proxies : undefined;
  const wanted = entries?.filter(({ enabled }) => enabled).map(({ name }) => name) ?? defaultExtensions;
  const on = wanted.filter((name) => !extensionFault(policy, { name, known: [name] }));
  const refused = wanted.filter((name) => !on.includes(name));
  const off = defaultExtensions.filter((name) => !wanted.includes(name));
  const text = [
    on.length === 0 ? "none is on" : `on: ${on.join(", ")}`,
    ...(off.length === 0 ? [] : [`off: ${off.join(", ")}`]),
    ...(refused.length === 0 ? [] : [`not allowed by your organisation: ${refused.join(", ")}`]),
  ];
  return [checked("extensions").ok(plainText(`${text.join("; ")} (\`proxies\` in config.jsonc)`, 2_000))];
}

async function folderFindings(state: ConfigState, { projects, trust }: Environment): Promise<readonly Finding[]> {
  const folder = process.cwd();
  const values = checkValues(state, await (await projects.files()).inspect(folder));
  if (await trust.isTrusted(folder)) return values;
  const starts = (await projects.agentStarts(folder)).map(({ agent, found }) => {
    const text = `${agent} would automatically start the following from this untrusted folder:\n${describeStarts(found)}`;
    return checked("trust").warn(text, `Symposium prevents that. ${trustRemedy(folder)}`);
  });
  return [...values, ...starts];
}

/** Reports servers with unset variables, without starting any server. */
async function serverFindings(servers: readonly UserServer[]): Promise<readonly Finding[]> {
  const { warn } = checked("mcp");
  const found = servers
    .filter(({ isEnabled }) => isEnabled)
    .map(async (server) => {
      const missing = await missingValues(server);
      const remedy = "Set the variable, or store a secret with `symposium-acp-agent mcp secret set NAME`.";
      return missing.map((name) => warn(plainText(`the server "${server.name}" has no value for ${name}`), remedy));
    });
  return (await Promise.all(found)).flat();
}

async function agentFindings(agent: Component | undefined, options: AgentCheckOptions): Promise<readonly Finding[]> {
  const { ok, warn, fail } = checked("agent");
  if (!agent) return [warn("none is configured", "Run `symposium-acp-agent setup`, or name an agent: doctor AGENT.")];
  try {
    const component = await findAgentCommand(agent);
    await assertAgentAllowed(component);
    if (component === "eliza") return [ok("Eliza is part of this program and needs nothing")];
    return [
      ok(component.name),
      ...(options.environment.hooks ? hookFindings(component) : []),
      ...(await checkAgent(await options.environment.projects.asStartedHere(component), options)),
    ];
  } catch (failure) {
    options.signal.throwIfAborted();
    if (!(failure instanceof SymposiumError)) throw failure;
    return [fail(failure.message, failure.hint)];
  }
}

/** Whether the finding is a fault. A missing configuration isn't a fault, since this check doesn't use the configuration. */
function isFault({ status, missing }: Finding): boolean {
  return status !== "ok" && missing !== "configuration";
}

/** Says which hook events decide and which only watch, for the agent that the user chose. */
function hookFindings({ command }: Pick<ProcessComponent, "command">): readonly Finding[] {
  return [checked("hooks").ok(describeReach(rowOfCommand(command)))];
}

/** Lists what the organisation's policy limits. A policy that can't be applied is a failure, since nothing starts with it. */
async function policyFindings(): Promise<readonly Finding[]> {
  const { ok, fail } = checked("policy");
  try {
    const [policy] = await Promise.all([systemPolicy(), organisationRules()]);
    return (policy ? describePolicy(policy) : []).map(({ file, limits }) =>
      ok(plainText(`${limits.length === 0 ? "no limits" : limits.join("; ")}, ${byOrganisation(file)}`, 2_000)),
    );
  } catch (failure) {
    if (!(failure instanceof SymposiumError)) throw failure;
    return [fail(failure.message, failure.hint)];
  }
}
