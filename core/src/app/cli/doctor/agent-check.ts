import { temporaryFolder } from "../../../base/node/temporary-folder.js";
import { messageOf } from "../../../base/symposium-error.js";
import { untilAborted } from "../../../base/until-aborted.js";
import { AgentClient, type AgentClientOptions } from "../../../conductor/client/agent-client.js";
import { AgentRefusal } from "../../../conductor/client/agent-errors.js";
import type { ProcessExit } from "../../../base/component-process.js";
import type { ProcessComponent } from "../../../conductor/chain/component.js";
import { Conductor } from "../../../conductor/chain/conductor.js";
import { parseSignIns, type SignIn } from "../../../conductor/chain/sign-in.js";
import { describeExit, startHint } from "../../../conductor/chain/start-hint.js";
import { outerEnvironment } from "../../../base/node/search-path-outside-project.js";
import { resolveCommand, systemLookup } from "../../../base/node/resolve-command.js";
import { Json } from "../../../base/rpc/json.js";
import type { Environment } from "../../environment.js";
import { checked, type Finding, refusalFinding } from "../findings/finding.js";

export interface AgentCheckOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly signInWords: string;
  /** Client information sent to the agent. Default: a client with a terminal and no name. */
  readonly asClient?: Pick<AgentClientOptions, "clientInfo" | "capabilities">;
}

const sessionTimeoutMs = 60_000;
const plainClient = { capabilities: { auth: { terminal: true } } };

export async function checkAgent(agent: ProcessComponent, options: AgentCheckOptions): Promise<readonly Finding[]> {
  const { ok, warn, fail } = checked("program");
  const { command } = agent;
  const env = { ...process.env, ...command.env };
  const path = resolveCommand(command.command, systemLookup(outerEnvironment(env, [process.cwd()]), command.cwd));
  if (path === undefined) {
    const exit = { code: null, signal: null, stderrTail: "", startError: "ENOENT" };
    return [fail(`${command.command} was not found`, startHint(command, exit))];
  }
  const exits: Promise<ProcessExit>[] = [];
  const findings = await converse(agent, options, exits);
  const [exit] = await Promise.all(exits);
  // After a failed check, the exit status doesn't matter, because the check may not have ended the process.
  if (exit === undefined || findings.at(-1)?.status === "fail") return [ok(path), ...findings];
  const isClean = exit.code === 0 && exit.signal === null;
  const ended = checked("end");
  return [
    ok(path),
    ...findings,
    isClean
      ? ended.ok("it exited when its input ended")
      : { ...warn(describeExit("it", exit), "Report it to its publisher."), check: "end" },
  ];
}

async function converse(
  agent: ProcessComponent,
  { environment, signal, signInWords, asClient = plainClient }: AgentCheckOptions,
  exits: Promise<ProcessExit>[],
): Promise<readonly Finding[]> {
  const { startProcess } = environment.chain;
  const client = new AgentClient(asClient);
  await using conductor = new Conductor({
    proxies: [],
    agent,
    client: client.fromAgent,
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
  try {
    const initialized = await untilAborted(client.initialize(conductor.fromClient), signal);
    const { name = agent.name, version = "", result } = initialized;
    const methods = parseSignIns(Json.of(result));
    return [
      checked("initialize").ok(`${name} ${version}`.trim()),
      checked("sign-in").ok(methods.length === 0 ? "it offers none" : `it offers ${listOf(methods)}`),
      await checkSession(client, methods, signInWords, signal),
    ];
  } catch (thrown) {
    if (!(thrown instanceof AgentRefusal)) throw thrown;
    return [refusalFinding("initialize", thrown)];
  }
}

async function checkSession(
  client: AgentClient,
  methods: readonly SignIn[],
  signInWords: string,
  signal: AbortSignal,
): Promise<Finding> {
  const { ok, fail } = checked("session");
  await using folder = await temporaryFolder("symposium-doctor-");
  const limit = AbortSignal.any([signal, AbortSignal.timeout(sessionTimeoutMs)]);
  try {
    const session = await untilAborted(client.newSession({ cwd: folder.path }, { update: () => undefined }), limit);
    const { canClose, canDelete } = client.initialized;
    if (canClose) await session.close(sessionTimeoutMs);
    if (canDelete) await untilAborted(client.deleteSession(session.id), limit).catch(unlessRefused);
    return ok("it opened a temporary session; some agents ask for a sign-in only at the first prompt");
  } catch (failure) {
    signal.throwIfAborted();
    if (failure instanceof AgentRefusal) {
      if (!failure.wantsSignIn) return refusalFinding("session", failure);
      return { ...fail("it needs you to sign in", signInRemedy(methods, signInWords)), missing: "sign-in" };
    }
    if (!limit.aborted) return fail(messageOf(failure));
    return fail(
      `it did not open a session within ${sessionTimeoutMs / 1000} s`,
      "Run it on its own and check what it does.",
    );
  }
}

/** Ignores an agent's refusal to delete the session, which doesn't mean that opening sessions fails. */
function unlessRefused(thrown: unknown): void {
  if (!(thrown instanceof AgentRefusal)) throw thrown;
}

function signInRemedy(methods: readonly SignIn[], signInWords: string): string {
  const own = methods.find(({ kind }) => kind === "terminal");
  if (own?.commandLine !== undefined) return `Run \`${own.commandLine}\`.`;
  if (own) return `Run \`symposium-acp-agent sign-in ${own.id}${signInWords}\`.`;
  if (methods.length > 0)
    return `Choose one in the editor, or in \`symposium-acp-agent chat${signInWords}\`: ${listOf(methods)}.`;
  return "The agent doesn't describe how. Run its own program in a terminal and sign in there, or set its API key.";
}

function listOf(methods: readonly SignIn[]): string {
  return methods.map(({ id, name }) => (name === id ? id : `${name} (${id})`)).join(", ");
}
