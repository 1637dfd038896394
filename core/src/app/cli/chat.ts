import { constants } from "node:os";
import { Readable, type Writable } from "node:stream";
import { invalidArguments, messageOf, SymposiumError } from "../../base/symposium-error.js";
import { isDoneWithin } from "../../base/until-aborted.js";
import { listSessions } from "../../sessions/conversations/node/session-index.js";
import { sessionsFolder } from "../recorded-conversations.js";
import { ChatEvents } from "./headless/chat-events.js";
import {
  limitsOf,
  levelOf,
  promptOf,
  type Unattended,
  unattendedOf,
  unattendedOptions,
} from "./headless/unattended.js";
import type { RunLimits } from "../../guard/node/rule-and-budget-proxies.js";
import { findSession, folderOf } from "./sessions/find-session.js";
import { exitCodes, exitCodesText } from "./terminal-chat/chat-turn.js";
import type { Continued } from "../../sessions/conversations/continued-session.js";
import { nameOf } from "../../conductor/chain/component.js";
import { endOnSignals } from "../../base/node/end-on-signals.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { proxiesOfConfig, proxiesOfTexts, toAgent } from "../components.js";
import { readAgentText } from "../../agents/node/find-agent.js";
import { defaultExtensions } from "../../extensions/extension-names.js";
import { readSoundConfig } from "../read-user-config.js";
import { type Environment, openEnvironment } from "../environment.js";
import { productVersion } from "../../base/node/product-version.js";
import { type ChainPlan, configPlaces, openChain } from "../serve-chain.js";
import { checkOwnFiles } from "./doctor/own-files-check.js";
import { startSettings } from "./host-use.js";
import { commonOptions, here, machineOptions, proxyOption } from "./options.js";
import { warn, write } from "./output.js";
import { ReaderFlow } from "./reader-flow.js";
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
    ...machineOptions,
    yes: { about: "allow all permission requests" },
    no: { about: "reject all permission requests" },
    continue: { about: "continue the last conversation of this folder, as `sessions continue` does" },
    session: { value: "ID", about: "continue this conversation: an id from `sessions list`, or last" },
    ...unattendedOptions,
    ...commonOptions,
  },
  epilogue: exitCodesText,
  async run({ values, positionals }) {
    const unattended = unattendedOf(values);
    const settings = startSettings();
    const isElsewhere = values.on === undefined ? settings.on !== undefined : values.on !== here;
    const isHosted = isElsewhere || values.host === true || values.attach !== undefined;
    assertTogether(values, isHosted, unattended);
    const prompt = await promptOf(positionals, values["prompt-file"], unattended !== undefined);
    const { cwd, continues } = await continuedBy(values);
    if (isHosted || (!unattended && !continues && settings.host === "on")) {
      const { talkInHost } = await import("./chat-in-host.js");
      return flushed(await talkInHost({ ...values, configuredOn: settings.on }, prompt, noAgentLine));
    }
    const topic = { prompt, cwd, ...(continues && { continues }), ...(unattended && { unattended }) };
    try {
      return await flushed(await talkWith(values, topic));
    } catch (failure) {
      const isForUser = unattended === undefined || unattended.output === "text";
      if (isForUser || !(failure instanceof SymposiumError) || failure.code === "invalid-arguments") throw failure;
      const events = new ChatEvents();
      events.failed(messageOf(failure));
      warn(`symposium-acp-agent: ${messageOf(failure)}`);
      return printResult(events, exitCodes.failure);
    }
  },
});

const hosted = "--host, --attach or another machine";

function assertTogether(
  values: ChatValues & {
    readonly continue?: true;
    readonly session?: string;
    readonly attach?: string;
    readonly folder?: string;
  },
  isHosted: boolean,
  unattended: Unattended | undefined,
): void {
  const { attach, folder } = values;
  const answered = values.yes === true || values.no === true;
  const isContinuing = values.continue === true || values.session !== undefined;
  const clash =
    (answered && unattended?.permissions !== undefined && ["--permissions", "--yes or --no"]) ||
    (values.continue === true && values.session !== undefined && ["--continue", "--session"]) ||
    (isHosted && unattended !== undefined && [hosted, "--output, --permissions, --budget, --max-turns or --timeout"]) ||
    (attach !== undefined && folder !== undefined && ["--attach", "--folder"]) ||
    (isHosted && isContinuing && [hosted, "--continue or --session"]);
  if (!clash) return;
  const message = `${clash.join(" can't be used with ")}.`;
  throw invalidArguments(message, "Leave one of them out.");
}

async function continuedBy(values: {
  readonly continue?: true;
  readonly session?: string;
}): Promise<{ readonly cwd: string; readonly continues?: Continued }> {
  const cwd = process.cwd();
  if (values.session !== undefined) {
    const { session } = await findSession(values.session);
    return { cwd: await folderOf(session), continues: { conversation: session.id } };
  }
  if (values.continue !== true) return { cwd };
  const all = await listSessions(sessionsFolder());
  const last = all.find((one) => one.cwd === cwd && one.turns > 0);
  if (last) return { cwd, continues: { conversation: last.id } };
  const hint = "`symposium-acp-agent sessions list` shows the conversations of all folders.";
  throw invalidArguments("--continue: this folder has no conversation.", hint);
}

/** Waits until the reader of stdout has taken all text, because the process exits next. Returns the exit code. */
export async function flushed(exitCode: number): Promise<number> {
  await write([]);
  return exitCode;
}

/** Prints the result as one line. Resolves with the exit code. */
async function printResult(events: ChatEvents, code: number): Promise<number> {
  const result = events.result(code);
  await write([`${JSON.stringify(result)}\n`]);
  return result.exitCode;
}

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
  const config = await readSoundConfig(values.agent === undefined || topic.unattended ? "reject" : "go-on");
  const { unattended } = topic;
  const notices: string[] = [];
  const chosen = values.agent === undefined ? config?.agent : readAgentText(values.agent);
  if (chosen === undefined && unattended) {
    throw new SymposiumError("invalid-config", "No agent is configured.", "Use --agent NAME, or run `setup`.");
  }
  if (chosen === undefined) warn(noAgentLine);
  for (const { text, remedy } of await checkOwnFiles(topic.cwd)) {
    warn(`symposium-acp-agent: ${[text, remedy].filter((one) => one !== undefined).join(" ")}`);
  }
  const component = chosen ?? ({ kind: "name", name: "eliza" } as const);
  const usual = config?.settings ?? defaultSettings;
  const wanted = unattended?.permissions;
  const settings = wanted ? { ...usual, guard: await levelOf(wanted, component, usual.guard) } : usual;
  const environment = await openEnvironment({
    // The chat reports failures itself, so logging is off by default.
    values: { log: "off", ...values },
    notice: (line) => notices.push(line),
    settings,
    // In an unattended run, the level already includes the agent's entry in guard.jsonc.
    ...(wanted === undefined && { agents: [component] }),
  });
  const overBudget = new AbortController();
  const events =
    unattended &&
    new ChatEvents(unattended.output === "jsonl" ? printLine : undefined, unattended.maxTurns, () =>
      overBudget.abort(),
    );
  const entries = config?.proxies ?? defaultExtensions.map((name) => ({ name, enabled: true }));
  const plan: ChainPlan = {
    proxies: values.proxy
      ? await proxiesOfTexts(values.proxy, environment)
      : await proxiesOfConfig(entries, environment),
    agent: await toAgent(component, environment),
    ...(events && { limits: { ...limitsOf(unattended), ...limitListeners(events, overBudget) } }),
    signInWords: values.agent === undefined ? [] : ["--agent", values.agent],
    places: {
      ...configPlaces,
      ...(values.agent !== undefined && { agent: "--agent" }),
      ...(values.proxy && { proxies: "--proxy" }),
    },
  };
  const first = await environment.conversations.noticeBeforeFirst();
  if (first !== undefined) warn(first);
  return talk({
    plan,
    environment,
    topic,
    permission: wanted === "deny" ? "reject" : permission,
    notices,
    ...(events && { events, overBudget: overBudget.signal }),
  });
}

/** Reports decisions of the guard. A used-up budget also ends the turn as Ctrl-C does, since an agent may ignore the budget's cancellation. */
function limitListeners(events: ChatEvents, overBudget: AbortController): Pick<RunLimits, "onDecision" | "onUsedUp"> {
  return {
    onDecision: (record) => events.ruled(record),
    onUsedUp: (budget) => {
      events.overBudget(budget);
      overBudget.abort();
    },
  };
}

interface Topic {
  readonly prompt: string | undefined;
  readonly cwd: string;
  readonly continues?: Continued;
  /** Destination of the answer; default stdout. */
  readonly output?: Writable;
  readonly unattended?: Unattended;
}

function printLine(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

interface Talk {
  readonly plan: ChainPlan;
  readonly environment: Environment;
  readonly topic: Topic;
  readonly permission: "allow" | "reject" | undefined;
  /** Lines printed after the conversation, so that they don't interrupt an answer. */
  readonly notices: readonly string[];
  /** Events for programs; present only if the run is unattended. */
  readonly events?: ChatEvents;
  /** Aborted when a budget ends the turn. */
  readonly overBudget?: AbortSignal;
}

/** Milliseconds that a signal waits for the reader of the result. */
const resultGraceMs = 500;

async function talk({ plan, environment, topic, permission, notices, events, overBudget }: Talk): Promise<number> {
  const { prompt, cwd, continues, output = process.stdout, unattended } = topic;
  const isForPrograms = unattended !== undefined && unattended.output !== "text";
  const { timeoutMs } = unattended ?? {};
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const ends = [timeout, overBudget].filter((signal) => signal !== undefined);
  const stop = new AbortController();
  const terminal = new TerminalChat({
    // An unattended chat asks the user nothing, so its input is empty.
    input: unattended ? Readable.from([]) : process.stdin,
    output,
    errors: process.stderr,
    cwd,
    ...(continues && { members: { _meta: { symposium: { continues } } } }),
    version: productVersion,
    logger: environment.logger.child("chat"),
    extensions: plan.proxies.map(nameOf),
    agentCommand: "symposium-acp-agent",
    ...(plan.signInWords && { signInWords: plan.signInWords }),
    ...(permission && { permission }),
    stop: stop.signal,
    deadline: AbortSignal.any(ends),
    ...(events && { listener: events }),
    isMuted: isForPrograms,
  });
  const { agent } = plan;
  const recorder = environment.conversations.recorder(() => (agent ? nameOf(agent) : ""));
  const reader = new ReaderFlow(output);
  const conductor = openChain(plan, environment, recorder.towardClient(reader.before(terminal.fromAgent)), {
    clientChannel: reader,
    onFailure: (failure) => stop.abort(failure.message),
  });
  const end = async (): Promise<void> => {
    await conductor[Symbol.asyncDispose]();
    recorder[Symbol.dispose]();
    await environment[Symbol.asyncDispose]();
    for (const line of notices) warn(line);
  };
  const ending = new AbortController();
  // The chat handles Ctrl-C itself; the other signals end the process.
  using _signals = endOnSignals({
    end: async (signal) => {
      ending.abort();
      await end();
      // A script that ends the run may have stopped reading.
      const code = 128 + constants.signals[signal];
      if (events && isForPrograms) await isDoneWithin(printResult(events, code), resultGraceMs);
    },
    kill: () => environment.kill(),
    signals: ["SIGTERM", "SIGHUP"],
  });
  const left = await terminal.run(recorder.towardAgent(conductor.fromClient), prompt);
  const isLate = timeout?.aborted === true && overBudget?.aborted !== true && left === exitCodes.cancelled;
  if (!ending.signal.aborted) await end();
  // The signal's handler prints the result and exits.
  if (ending.signal.aborted) return await new Promise<never>(() => undefined);
  const code = isLate ? exitCodes.timedOut : left;
  if (events && isForPrograms) return await printResult(events, code);
  return events?.result(code).exitCode ?? code;
}
