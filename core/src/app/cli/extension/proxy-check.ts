import { temporaryFolder } from "../../../base/node/temporary-folder.js";
import { isSessionSetup } from "../../../base/acp/methods.js";
import { redactText } from "../../../base/redact.js";
import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import { AgentClient } from "../../../conductor/client/agent-client.js";
import type { ProcessExit, StartProcess } from "../../../base/component-process.js";
import { Conductor } from "../../../conductor/chain/conductor.js";
import type { ChainFailure } from "../../../conductor/chain/failure.js";
import { proxyInitializeDialect } from "../../../conductor/chain/proxy-dialect.js";
import { describeExit } from "../../../conductor/chain/start-hint.js";
import { parseMcpServerEntry } from "../../../base/mcp/mcp-server-entry.js";
import { startProcess } from "../../../base/node/child-component.js";
import { Frame } from "../../../base/rpc/frame.js";
import { asObject } from "../../../base/rpc/json.js";
import type { Command } from "../../../base/command.js";
import { checked, type Finding } from "../findings/finding.js";
import type { Environment } from "../../environment.js";
import { productVersion } from "../../../base/node/product-version.js";
import { ProbeAgent } from "./probe-agent.js";
import { ProbeEditor } from "./probe-editor.js";

interface ProxyCheckOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** Maximum time for the process to exit after its input has ended, in milliseconds. */
const graceMs = 3_000;

export async function checkProxy(
  name: string,
  command: Command,
  options: ProxyCheckOptions,
): Promise<readonly Finding[]> {
  const seen: Observation = {};
  await using folder = await temporaryFolder("symposium-extension-");
  const findings = await converse(name, command, { ...options, seen, cwd: folder.path });
  if (seen.strayLine !== undefined) {
    const text = `it writes a line to stdout that isn't a message: ${redactText(seen.strayLine.slice(0, 300)).slice(0, 100)}`;
    findings.push(checked("output").fail(text, "Write logs to stderr: stdout carries one JSON-RPC message per line."));
  }
  // After a failure, the exit status doesn't matter, because the check may not have ended the process.
  return seen.failure ? findings : [...findings, await endOf(seen)];
}

interface ConverseOptions extends ProxyCheckOptions {
  readonly seen: Observation;
  readonly cwd: string;
}

/** Runs all steps of the check. The program has ended when the promise resolves. */
async function converse(
  name: string,
  command: Command,
  { environment, signal, limitMs, seen, cwd }: ConverseOptions,
): Promise<Finding[]> {
  const { chain, logger, watchdog } = environment;
  const agent = new ProbeAgent();
  const editor = new ProbeEditor({ agent, signal, limitMs });
  const start = startProcess({ logger, watchdog, graceMs, maxLineBytes: chain.maxLineBytes });
  await using conductor = new Conductor({
    proxies: [{ kind: "process", name, command }],
    agent: { kind: "agent", agent },
    client: editor.client.fromAgent,
    environment: { ...chain, startProcess: observed(start, seen) },
    startupTimeoutMs: limitMs,
    onFailure: (failure) => (seen.failure = failure),
  });
  const steps: readonly [name: string, run: () => Promise<readonly Finding[]>][] = [
    ["initialize", () => editor.initialize(conductor.fromClient, () => seen.initializedBy)],
    ["session", () => editor.open(cwd)],
    ["tools", () => checkServers(agent, { environment, signal, limitMs, cwd })],
    ["prompt", () => editor.prompt()],
    ["cancel", () => editor.cancel()],
    ["unknown", () => editor.passUnknown()],
  ];
  const findings: Finding[] = [];
  for (const [step, run] of steps) {
    const found = await settled(step, run, signal);
    if (seen.failure) return [...findings, failureFinding(step, seen.failure)];
    findings.push(...found);
    if (!editor.hasSession && found.some(({ status }) => status === "fail")) break;
  }
  return findings;
}

/** Returns a step's findings; converts a {@link SymposiumError} to a finding. */
async function settled(
  step: string,
  run: () => Promise<readonly Finding[]>,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (failure) {
    signal.throwIfAborted();
    if (!(failure instanceof SymposiumError)) throw failure;
    return [checked(step).fail(failure.message, failure.hint)];
  }
}

/** Reports that the whole chain failed, with the end of the program's stderr. */
function failureFinding(step: string, { message, error }: ChainFailure): Finding {
  const stderr = asObject(error.data)?.["stderr"];
  if (typeof stderr !== "string" || stderr === "") return checked(step).fail(message);
  const lines = stderr.trim().split("\n").slice(0, 8);
  return checked(step).fail(message, `It wrote: ${lines.map((line) => line.trim().slice(0, 200)).join(" | ")}`);
}

/** Lists the tools of each MCP server in the session, as an agent would. */
async function checkServers(
  agent: ProbeAgent,
  { environment, signal, limitMs, cwd }: Omit<ConverseOptions, "seen">,
): Promise<readonly Finding[]> {
  const { ok, fail } = checked("tools");
  const setUp = await agent.arrivals.first(({ method }) => isSessionSetup(method), limitMs);
  if (!setUp) return [fail("session/new is answered but doesn't reach the agent", "Forward it, and add your servers.")];
  const listed = setUp.params?.["mcpServers"];
  const entries: readonly unknown[] = Array.isArray(listed) ? listed : [];
  if (entries.length === 0) return [ok("it offers no MCP server")];
  const { McpClient } = await import("../../../context/servers/node/mcp-client.js");
  const { connect } = new McpClient({
    clientInfo: { name: "symposium-extension-check", version: productVersion },
    startProcess: environment.chain.startProcess,
    connectTimeoutMs: limitMs,
  });
  const findings: Finding[] = [];
  for (const value of entries) {
    const entry = parseMcpServerEntry(value);
    if (typeof entry === "string") {
      findings.push(fail(entry, "Fix the entry that you add to mcpServers."));
      continue;
    }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    try {
      await using connection = await connect(entry, {
        client: new AgentClient({ capabilities: {} }).fromAgent,
        cwd,
        signal: limit,
      });
      const tools = await connection.listTools(limit);
      findings.push(ok(`MCP server "${entry.name}": ${tools.map((tool) => tool.name).join(", ") || "no tools"}`));
    } catch (failure) {
      signal.throwIfAborted();
      const reason = limit.aborted ? `no answer within ${limitMs / 1000} s` : messageOf(failure);
      const remedy = "Answer server/discover and tools/list in mcp/message, under the serverId that you declared.";
      findings.push(fail(`MCP server "${entry.name}" does not list its tools: ${reason}`, remedy));
    }
  }
  return findings;
}

async function endOf({ exited }: Observation): Promise<Finding> {
  const { ok, fail } = checked("end");
  const exit = await exited;
  if (!exit || (exit.code === 0 && exit.signal === null)) return ok("it exits when its input ends");
  const wrote = exit.stderrTail === "" ? "" : ` It wrote: ${exit.stderrTail}`;
  const late = `it was still running ${graceMs / 1000} s after its input ended and had to be killed`;
  if (exit.signal !== null) return fail(late, "Exit when stdin ends, and stop any processes that you started.");
  return fail(`${describeExit("it", exit)}${wrote}`, "Exit with code 0 when stdin ends.");
}

interface Observation {
  /** Method of the accepted `initialize` request, or of the last `initialize` sent if none was accepted. */
  initializedBy?: string;
  /** First stdout line that isn't a message. */
  strayLine?: string;
  exited?: Promise<ProcessExit>;
  failure?: ChainFailure;
}

/** Wraps `start` to record the process's output and exit in `seen`. */
function observed(start: StartProcess, seen: Observation): StartProcess {
  return (name, command, handlers) => {
    const child = start(name, command, {
      line: (line) => {
        if (line.trim() !== "" && !Frame.scan(line)) seen.strayLine ??= line;
        handlers.line(line);
      },
      oversize: (line) => handlers.oversize(line),
      end: () => handlers.end(),
      stalled: (ms) => handlers.stalled(ms),
    });
    seen.exited = child.exited;
    return {
      pid: child.pid,
      exited: child.exited,
      send: (line) => {
        const method = Frame.scan(line)?.methodName;
        if (method !== undefined && proxyInitializeDialect(method)) seen.initializedBy = method;
        child.send(line);
      },
      get isCongested() {
        return child.isCongested;
      },
      onCongestion: (listener) => child.onCongestion(listener),
      pause: () => child.pause(),
      resume: () => child.resume(),
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  };
}
