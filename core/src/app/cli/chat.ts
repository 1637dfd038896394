import type { Writable } from "node:stream";
import type { Continued } from "../../sessions/conversations/continued-session.js";
import { nameOf } from "../../conductor/chain/component.js";
import { endOnSignals } from "../../base/node/end-on-signals.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { proxiesOfConfig, proxiesOfTexts, toAgent } from "../components.js";
import { readAgentText } from "../../agents/node/find-agent.js";
import { defaultExtensions } from "../../extensions/extension-names.js";
import { readSoundConfig } from "../configuration.js";
import { type Environment, openEnvironment } from "../environment.js";
import { productVersion } from "../../base/node/product-version.js";
import { type ChainPlan, configPlaces, openChain } from "../serve-chain.js";
import { checkOwnFiles } from "./doctor/own-files-check.js";
import { configAsksForHost } from "./host-use.js";
import { commonOptions, proxyOption } from "./options.js";
import { warn } from "./registry/output.js";
import { subcommand } from "./subcommand.js";
import { permissionOf } from "./terminal-chat/permission-desk.js";
import { TerminalChat } from "./terminal-chat/terminal-chat.js";

/** `chat [PROMPT]`: talks through the conductor to the configured agent, or to Eliza if none is configured. */
export const chat = subcommand({
  name: "chat",
  about: "Chat with the configured agent in this terminal. With a prompt, print one answer and exit.",
  arguments: { "[PROMPT...]": "the prompt" },
  options: {
    proxy: {
      ...proxyOption.proxy,
      about: "use this proxy, as for run-with, instead of the configured ones; repeatable",
    },
    agent: { value: "X", about: "use this agent, as for run-with, instead of the configured agent" },
    host: { about: "run the session in the host, so that it outlives this terminal" },
    attach: {
      value: "ID",
      about: "attach to a live session of the host, by its id, the beginning of its id, or an id from `sessions list`",
    },
    yes: { about: "allow all permission requests" },
    no: { about: "reject all permission requests" },
    ...commonOptions,
  },
  async run({ values, positionals }) {
    const prompt = positionals.length === 0 ? undefined : positionals.join(" ");
    if (values.host === true || values.attach !== undefined || configAsksForHost()) {
      const { talkInHost } = await import("./chat-in-host.js");
      return talkInHost(values, prompt, noAgentLine);
    }
    return talkWith(values, { prompt, cwd: process.cwd() });
  },
});

interface ChatValues {
  readonly proxy?: readonly string[];
  readonly agent?: string;
  readonly yes?: boolean;
  readonly no?: boolean;
  readonly log?: string;
  readonly "trace-dir"?: string;
  readonly "trusted-folder"?: readonly string[];
}

/** Eliza answers if no agent is configured, and can be mistaken for a model. */
const noAgentLine =
  "symposium-acp-agent: no agent is configured, so Eliza answers, a small program without a model. Run `symposium-acp-agent " +
  "setup` to choose an agent, or use --agent NAME for this chat.";

export async function talkWith(values: ChatValues, topic: Topic): Promise<number> {
  const permission = permissionOf(values);
  const config = await readSoundConfig(values.agent === undefined ? "reject" : "go-on");
  const settings = config?.settings ?? defaultSettings;
  // The chat reports failures itself.
  const log = values.log ?? "off";
  const notices: string[] = [];
  const chosen = values.agent === undefined ? config?.agent : readAgentText(values.agent);
  if (chosen === undefined) warn(noAgentLine);
  for (const { text, remedy } of await checkOwnFiles(topic.cwd)) {
    warn(`symposium-acp-agent: ${[text, remedy].filter((one) => one !== undefined).join(" ")}`);
  }
  const component = chosen ?? ({ kind: "name", name: "eliza" } as const);
  const environment = await openEnvironment({
    log,
    notice: (line) => notices.push(line),
    traceDir: values["trace-dir"],
    trustedFolders: values["trusted-folder"],
    settings,
    agents: [component],
  });
  const entries = config?.proxies ?? defaultExtensions.map((name) => ({ name, enabled: true }));
  const plan: ChainPlan = {
    proxies: values.proxy
      ? await proxiesOfTexts(values.proxy, environment)
      : await proxiesOfConfig(entries, environment),
    agent: await toAgent(component, environment),
    signInWords: values.agent === undefined ? [] : ["--agent", values.agent],
    places: {
      ...configPlaces,
      ...(values.agent !== undefined && { agent: "--agent" }),
      ...(values.proxy && { proxies: "--proxy" }),
    },
  };
  const first = await environment.conversations.noticeBeforeFirst();
  if (first !== undefined) warn(first);
  return talk({ plan, environment, topic, permission, notices });
}

interface Topic {
  readonly prompt: string | undefined;
  readonly cwd: string;
  readonly continues?: Continued;
  /** Destination of the answer; default stdout. */
  readonly output?: Writable;
}

interface Talk {
  readonly plan: ChainPlan;
  readonly environment: Environment;
  readonly topic: Topic;
  readonly permission: "allow" | "reject" | undefined;
  /** Lines printed after the conversation, so that they don't interrupt an answer. */
  readonly notices: readonly string[];
}

async function talk({ plan, environment, topic, permission, notices }: Talk): Promise<number> {
  const { prompt, cwd, continues, output = process.stdout } = topic;
  const stop = new AbortController();
  const terminal = new TerminalChat({
    input: process.stdin,
    output,
    errors: process.stderr,
    cwd,
    ...(continues && { members: { _meta: { symposium: { continues } } } }),
    version: productVersion,
    logger: environment.logger.child("chat"),
    extensions: plan.proxies.map(nameOf),
    agentCommand: "symposium-acp-agent",
    ...(permission && { permission }),
    stop: stop.signal,
  });
  const { agent } = plan;
  const recorder = environment.conversations.recorder(() => (agent ? nameOf(agent) : ""));
  const conductor = openChain(plan, environment, recorder.towardClient(terminal.fromAgent), {
    onFailure: (failure) => stop.abort(failure.message),
  });
  const end = async (): Promise<void> => {
    await conductor[Symbol.asyncDispose]();
    recorder[Symbol.dispose]();
    await environment[Symbol.asyncDispose]();
    for (const line of notices) process.stderr.write(`${line}\n`);
  };
  // The chat handles Ctrl-C itself; the other signals end the process.
  using _signals = endOnSignals({ end, kill: () => environment.kill(), signals: ["SIGTERM", "SIGHUP"] });
  const exitCode = await terminal.run(recorder.towardAgent(conductor.fromClient), prompt);
  await end();
  return exitCode;
}
