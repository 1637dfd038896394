import { invalidArguments, SymposiumError } from "../../base/symposium-error.js";
import { shellWord } from "../../base/shell-word.js";
import { AgentClient } from "../../conductor/client/agent-client.js";
import { AgentRefusal } from "../../conductor/client/agent-errors.js";
import type { Command } from "../../base/command.js";
import { Conductor } from "../../conductor/chain/conductor.js";
import { signInCommand, type TerminalSignIn, terminalSignIns } from "../../conductor/chain/sign-in.js";
import { packageStart } from "../../base/node/runners-outside-project.js";
import { startProgram } from "../../base/node/start-program.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { findAgentCommand, readAgentText } from "../../agents/node/find-agent.js";
import { readSoundConfig } from "../read-user-config.js";
import { type Environment, openEnvironment } from "../environment.js";
import { packageStartOptions } from "../../base/node/self-command.js";
import { canChoose, chooseOne } from "./choices.js";
import { commonOptions } from "./options.js";
import { assertAgentAllowed } from "../organisation.js";
import { subcommand } from "./subcommand.js";
import { waitingFor } from "./waiting-line.js";

export const signIn = subcommand({
  name: "sign-in",
  about: "Sign in to the configured agent in this terminal, with the agent's own sign-in.",
  arguments: { "[METHOD]": "the sign-in method; if omitted, uses the only one, or asks" },
  options: {
    agent: { value: "X", about: "use this agent, as for run-with, instead of the configured agent" },
    ...commonOptions,
  },
  async run({ values, positionals: [id] }) {
    const environment = await openEnvironment({ values, settings: defaultSettings });
    const agent = await agentCommand(values.agent);
    const methods = await waitingFor("Starting the agent", terminalMethods(agent, environment));
    await environment[Symbol.asyncDispose]();
    const method = id === undefined ? await chosenOf(methods) : methods.find((one) => one.id === id);
    if (method) return runHere(signInCommand(agent, method));
    if (id !== undefined) throw unknownMethod(id, methods);
    for (const { id: known, name } of methods) process.stdout.write(`${known}  ${name}\n`);
    process.stdout.write(
      methods.length === 0
        ? `The agent has no terminal sign-in. To see its other methods, run \`${["symposium-acp-agent chat", ...(values.agent === undefined ? [] : ["--agent", shellWord(values.agent)])].join(" ")}\`.\n`
        : `To sign in, run this command again with a method, such as \`${methods[0]?.id}\`.\n`,
    );
    return methods.length === 0 ? 0 : 2;
  },
});

/** Returns the only method, or asks for one in a terminal. Undefined if nobody can choose or the user cancels. */
async function chosenOf(methods: readonly TerminalSignIn[]): Promise<TerminalSignIn | undefined> {
  if (methods.length < 2 || !canChoose()) return methods.length === 1 ? methods[0] : undefined;
  const options = methods.map((method) => ({ value: method, label: method.name }));
  return chooseOne("How do you want to sign in?", options);
}

async function agentCommand(text: string | undefined): Promise<Command> {
  const component = text === undefined ? (await readSoundConfig())?.agent : readAgentText(text);
  const agent = component && (await findAgentCommand(component));
  if (agent === undefined) {
    throw new SymposiumError(
      "invalid-config",
      "No agent is configured.",
      "Run `symposium-acp-agent setup`, or pass --agent.",
    );
  }
  if (agent === "eliza") throw invalidArguments("Eliza needs no sign-in.", "Just talk to her.");
  await assertAgentAllowed(agent);
  return agent.command;
}

async function terminalMethods(command: Command, environment: Environment): Promise<TerminalSignIn[]> {
  const client = new AgentClient({ capabilities: { auth: { terminal: true } } });
  await using conductor = new Conductor({
    proxies: [],
    agent: { kind: "process", name: command.command, command },
    client: client.fromAgent,
    environment: environment.chain,
    startupTimeoutMs: environment.settings.startupTimeoutMs,
  });
  try {
    return terminalSignIns((await client.initialize(conductor.fromClient)).result);
  } catch (thrown) {
    if (!(thrown instanceof AgentRefusal)) throw thrown;
    throw new SymposiumError("component-start-failed", thrown.reason ?? "The agent rejected the initialize request.");
  }
}

function unknownMethod(id: string, methods: readonly TerminalSignIn[]): SymposiumError {
  const known = methods.map((method) => method.id).join(", ");
  const hint = known === "" ? "The agent has no terminal sign-in." : `It offers: ${known}.`;
  return invalidArguments(`The agent has no terminal sign-in "${id}".`, hint);
}

/** Runs the program in this terminal, with access to its input, output and signals. */
function runHere(given: Command): Promise<number> {
  const command = packageStart(given, packageStartOptions());
  const started = startProgram(command, {
    env: process.env,
    stdio: "inherit",
    confined: "sign-in",
    notFrom: [process.cwd()],
    isInTerminal: true,
  });
  if ("startError" in started) {
    throw new SymposiumError(
      "component-start-failed",
      `"${command.command}" could not be started (${started.startError}).`,
    );
  }
  return new Promise((resolve, reject) => {
    const { child } = started;
    process.on("SIGINT", () => undefined);
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
