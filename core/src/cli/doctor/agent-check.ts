import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acpMethods } from "../../acp/methods.js";
import { parseSignIns, type SignIn } from "../../conductor/sign-in.js";
import { messageOf } from "../../base/symposium-error.js";
import type { ProcessComponent } from "../../conductor/component.js";
import type { ProcessExit } from "../../conductor/component-process.js";
import { Conductor } from "../../conductor/conductor.js";
import { describeExit, startHint } from "../../conductor/start-hint.js";
import { untilAborted } from "../../base/until-aborted.js";
import { resolveCommand, systemLookup } from "../../node/resolve-command.js";
import { asObject } from "../../rpc/json.js";
import { Outcome, Request } from "../../rpc/message.js";
import { ask, nothingToCancel, type Peer } from "../../rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../rpc/rpc-error.js";
import type { Environment } from "../environment.js";
import { checked, type Finding } from "./finding.js";

export interface AgentCheckOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** What follows `sign-in METHOD` so that it is this agent's. */
  readonly signInWords: string;
  /** What the client says in `initialize`; only that it has a terminal by default. */
  readonly initializeParams?: object;
}

/** How long a temporary session may take to open. */
const sessionTimeoutMs = 60_000;
const plainInitializeParams = { protocolVersion: 1, clientCapabilities: { auth: { terminal: true } } };

/** Starts the agent, greets it, opens a temporary session and ends it, and says how each went. */
export async function checkAgent(agent: ProcessComponent, options: AgentCheckOptions): Promise<readonly Finding[]> {
  const { ok, warn, fail } = checked("program");
  const { command } = agent;
  const env = { ...process.env, ...command.env };
  const path = resolveCommand(command.command, systemLookup(env, command.cwd));
  if (path === undefined) {
    const exit = { code: null, signal: null, stderrTail: "", startError: "ENOENT" };
    return [fail(`${command.command} is not found`, startHint(command, exit))];
  }
  const exits: Promise<ProcessExit>[] = [];
  const findings = await converse(agent, options, exits);
  const [exit] = await Promise.all(exits);
  // How it ended is news only when it ended because we left.
  if (exit === undefined || findings.at(-1)?.status === "fail") return [ok(path), ...findings];
  const isClean = exit.code === 0 && exit.signal === null;
  const ended = checked("end");
  return [
    ok(path),
    ...findings,
    isClean
      ? ended.ok("it ended by itself when its input ended")
      : { ...warn(describeExit("it", exit), "Report it to its publisher."), check: "end" },
  ];
}

/** What the agent says, until it is gone again. `exits` gets how its process ends. */
async function converse(
  agent: ProcessComponent,
  { environment, signal, signInWords, initializeParams = plainInitializeParams }: AgentCheckOptions,
  exits: Promise<ProcessExit>[],
): Promise<readonly Finding[]> {
  const { startProcess } = environment.chain;
  await using conductor = new Conductor({
    proxies: [],
    agent,
    client: deaf,
    environment: {
      ...environment.chain,
      startProcess: (...args) => {
        const child = startProcess(...args);
        exits.push(child.exited);
        return child;
      },
    },
    startupTimeoutMs: environment.settings.startupTimeoutMs,
  });
  const request = (method: string, params: object, limit = signal): Promise<Outcome> =>
    untilAborted(ask(conductor.fromClient, Request.of(method, params)), limit);
  const greeting = await request(acpMethods.initialize, initializeParams);
  const greeted = checked("initialize");
  if (greeting.isError) return [failureOf("initialize", greeting)];
  const methods = parseSignIns(greeting.json);
  const { agentInfo, agentCapabilities } = greeting.json.object ?? {};
  const { name = agent.name, version = "" } = asObject(agentInfo) ?? {};
  return [
    greeted.ok(`${String(name)} ${String(version)}`.trim()),
    checked("sign-in").ok(methods.length === 0 ? "it offers none" : `it offers ${listOf(methods)}`),
    await checkSession(request, { methods, signInWords, capabilities: asObject(agentCapabilities) ?? {}, signal }),
  ];
}

interface SessionCheck {
  readonly methods: readonly SignIn[];
  readonly signInWords: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Opens a session in an empty folder, and leaves none behind where the agent can forget one. */
async function checkSession(
  request: (method: string, params: object, limit?: AbortSignal) => Promise<Outcome>,
  { methods, signInWords, capabilities, signal }: SessionCheck,
): Promise<Finding> {
  const { ok, fail } = checked("session");
  const cwd = await mkdtemp(join(tmpdir(), "symposium-doctor-"));
  const limit = AbortSignal.any([signal, AbortSignal.timeout(sessionTimeoutMs)]);
  try {
    const opened = await request(acpMethods.sessionNew, { cwd, mcpServers: [] }, limit);
    if (opened.isError && opened.json.object?.["code"] === rpcErrorCodes.authRequired) {
      return { ...fail("it needs you to sign in", signInRemedy(methods, signInWords)), missing: "sign-in" };
    }
    if (opened.isError) return failureOf("session", opened);
    const sessionId = opened.json.object?.["sessionId"];
    const offered = asObject(capabilities["sessionCapabilities"]) ?? {};
    if (offered["close"]) await request(acpMethods.sessionClose, { sessionId }, limit);
    if (offered["delete"]) await request(acpMethods.sessionDelete, { sessionId }, limit);
    return ok("a temporary session opens, so it is signed in or needs no sign-in");
  } catch (failure) {
    signal.throwIfAborted();
    if (!limit.aborted) return fail(messageOf(failure));
    return fail(
      `it does not open a session within ${sessionTimeoutMs / 1000} s`,
      "Start it alone, and see what it does.",
    );
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

function signInRemedy(methods: readonly SignIn[], signInWords: string): string {
  const own = methods.find(({ kind }) => kind === "terminal");
  if (own?.commandLine !== undefined) return `Run \`${own.commandLine}\`.`;
  if (own) return `Run \`symposium-acp-agent sign-in ${own.id}${signInWords}\`.`;
  if (methods.length > 0) return `Choose one in the editor: ${listOf(methods)}.`;
  return "It does not say how: run its own program in a terminal and sign in there, or set its API key.";
}

function listOf(methods: readonly SignIn[]): string {
  return methods.map(({ id, name }) => (name === id ? id : `${name} (${id})`)).join(", ");
}

/** The error of a request, with the hint that a failed start carries as the remedy. */
function failureOf(check: string, { json }: Outcome): Finding {
  const { message, data } = json.object ?? {};
  const text = typeof message === "string" ? message : json.text;
  const hint = asObject(data)?.["hint"];
  const { fail } = checked(check);
  return typeof hint === "string" ? fail(text.replace(hint, "").trim(), hint) : fail(text);
}

/** Can do nothing for an agent. */
const deaf: Peer = {
  request(request, reply) {
    reply(Outcome.error(RpcError.methodNotFound(request.method)));
    return nothingToCancel;
  },
  notify: () => undefined,
};
