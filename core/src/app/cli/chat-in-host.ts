import { SymposiumError } from "../../base/symposium-error.js";
import { Logger } from "../../base/logger.js";
import { productVersion } from "../../base/node/product-version.js";
import { selfCommand } from "../../base/node/self-command.js";
import { Connection } from "../../base/rpc/connection.js";
import { Outcome } from "../../base/rpc/message.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import { namedSession } from "../../sessions/conversations/node/named-session.js";
import { listSessions } from "../../sessions/conversations/node/session-index.js";
import { hostedProcess } from "../../sessions/host/node/hosted-process.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { readSoundConfig } from "../read-user-config.js";
import { sessionsFolder } from "../recorded-conversations.js";
import { type LiveSession, liveSessions, statusOf } from "../../sessions/host/node/live-sessions.js";
import { chosenMachine, conductorStart, remoteHost, statusThere } from "./other-machine.js";
import { warn } from "./output.js";
import type { ConductorStart } from "./servers-for-other-machine.js";
import { askToShare } from "./share-servers.js";
import { safeLine } from "./terminal-chat/safe-text.js";
import { permissionOf } from "./terminal-chat/permission-desk.js";
import { TerminalChat } from "./terminal-chat/terminal-chat.js";

interface HostedChatValues {
  readonly agent?: string;
  readonly proxy?: readonly string[];
  readonly attach?: string;
  readonly on?: string;
  readonly folder?: string;
  /** Value of the setting `on`, not yet validated. */
  readonly configuredOn?: unknown;
  readonly yes?: boolean;
  readonly no?: boolean;
  readonly log?: string;
  readonly "trace-dir"?: string;
  readonly "trusted-folder"?: readonly string[];
}

/**
 * Chats through the host: in a new session, or in a live one that `attach` names. Prints `noAgentLine` if no agent is configured. Resolves
 * with the exit code.
 */
export async function talkInHost(
  values: HostedChatValues,
  prompt: string | undefined,
  noAgentLine: string,
): Promise<number> {
  const permission = permissionOf(values);
  const config = await readSoundConfig("go-on");
  const { maxMessageBytes } = config?.settings ?? defaultSettings;
  const machine = chosenMachine({ ...values, configured: values.configuredOn });
  const remote = machine && remoteHost(machine, maxMessageBytes);
  const attached = await chosenSession(values.attach, prompt, remote && (() => statusThere(machine, remote)));
  // The other machine's host replaces the folder of a new session.
  const cwd = attached?.cwd ?? (remote ? "/" : process.cwd());
  const stop = new AbortController();
  const terminal = new TerminalChat({
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    cwd,
    isHosted: true,
    machine: remote?.name,
    ...(attached && { attach: attached.sessionId }),
    version: productVersion,
    logger: Logger.silent,
    agentCommand: "symposium-acp-agent",
    ...(values.agent !== undefined && { signInWords: ["--agent", values.agent] }),
    ...(permission && { permission }),
    stop: stop.signal,
  });
  const folder = attached ? undefined : (values.folder ?? ".");
  await using started = remote
    ? await conductorStart(remote, folder, await askToShare(machine, config))
    : hostHere(maxMessageBytes);
  // An attached session has its own conductor, so the chat's own conductor only needs an agent that starts quickly.
  const agent = attached ? "eliza" : (values.agent ?? (remote || config?.agent ? undefined : "eliza"));
  if (!attached && values.agent === undefined && agent !== undefined) warn(noAgentLine);
  const args =
    agent === undefined ? ["run"] : ["run-with", ...options(values, attached !== undefined), "--agent", agent];
  const connection = new Connection({
    send: (line) => conductor.send(line),
    inbound: terminal.fromAgent,
    answersGarbage: false,
  });
  const command = { command: "", args, env: {}, cwd };
  const conductor = started.start("chat", command, {
    line: (line) => connection.receive(line),
    oversize: (line) => connection.receiveOversize(line, maxMessageBytes),
    stalled: () => undefined,
    end: () => undefined,
  });
  void conductor.exited.then(({ stderrTail, startError = stderrTail }) => {
    connection.close(Outcome.error(RpcError.internal(startError)));
    stop.abort(startError);
  });
  const exitCode = await terminal.run(connection, prompt);
  await conductor[Symbol.asyncDispose]();
  return exitCode;
}

function hostHere(maxLineBytes: number): ConductorStart {
  const start = hostedProcess({ self: selfCommand(), env: process.env, maxLineBytes });
  return { start, [Symbol.asyncDispose]: () => Promise.resolve() };
}

function options(values: HostedChatValues, isAttached: boolean): readonly string[] {
  const proxies = isAttached ? [] : (values.proxy ?? []);
  return [
    ...proxies.flatMap((proxy) => ["--proxy", proxy]),
    ...(values.log === undefined ? [] : ["--log", values.log]),
    ...(values["trace-dir"] === undefined ? [] : ["--trace-dir", values["trace-dir"]]),
    ...(values["trusted-folder"] ?? []).flatMap((folder) => ["--trusted-folder", folder]),
  ];
}

/** Returns the live session to attach to. For a conversation without `attach`, lists the live sessions instead. */
async function chosenSession(
  attach: string | undefined,
  prompt: string | undefined,
  statusElsewhere: (() => Promise<string>) | undefined,
): Promise<LiveSession | undefined> {
  if (attach === undefined && prompt !== undefined) return undefined;
  const live = statusElsewhere ? statusOf(await statusElsewhere()).sessions : await liveSessions();
  if (attach !== undefined) return sessionOf(attach, live, statusElsewhere !== undefined);
  for (const session of live) warn(rowOf(session));
  return undefined;
}

async function sessionOf(id: string, live: readonly LiveSession[], isRemote: boolean): Promise<LiveSession> {
  const found = live.filter(({ sessionId }) => sessionId.startsWith(id));
  const stored = isRemote ? undefined : namedSession(await listSessions(sessionsFolder()), id);
  const exact =
    found.find(({ sessionId }) => sessionId === id) ??
    live.find(({ sessionId, cwd }) => sessionId === stored?.session && cwd === stored.cwd) ??
    (found.length === 1 ? found[0] : undefined);
  if (exact) return exact;
  const problem = found.length === 0 ? "no live session has this id" : "several live sessions have this id";
  const hint = live.length === 0 ? "The host has no sessions." : live.map(rowOf).join("\n");
  throw new SymposiumError("invalid-arguments", `--attach ${id}: ${problem}.`, hint);
}

/** Formats one line about a live session, with the option that attaches to the session. */
function rowOf({ sessionId, state, title, cwd }: LiveSession): string {
  return safeLine(`${state}  ${title === "" ? "(no title)" : title}  ${cwd}  --attach ${sessionId}`);
}
