import { SymposiumError } from "../../base/symposium-error.js";
import { failedTool, type ToolContext, type ToolResult } from "../../base/mcp/tool-server.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import type { CargoCall } from "./cargo-command.js";
import { CargoTranscript } from "./cargo-transcript.js";
import { formatReport } from "./format-report.js";
import { tidyOutput } from "./output-lines.js";
import { absentCargo, unusableCargo } from "../../base/cargo/unusable-cargo.js";
import { askerOf, type RunExit, type RunLimits, RunningCalls, RunQueue, type RunSession } from "../../base/runs/run.js";
import { RunStore } from "../runs/run-store.js";
import type { CargoServices } from "./services.js";
import { PackageTotal, parseMetadata, remedyFor, type WorkspaceFacts } from "./workspace-facts.js";

/** Settings that the output parser requires. They override the user's configuration. */
const environment = { CARGO_TERM_COLOR: "never", CARGO_TERM_PROGRESS_WHEN: "never", CARGO_TERM_QUIET: "false" };

const maxErrorLength = 4_000;

const reason =
  "Cargo runs code from the project: build scripts, macros, tests and programs that its configuration names.";

/** Runs cargo for tool calls, one run at a time per target directory. Disposing ends all runs and drops their results. */
export class CargoRuns implements AsyncDisposable {
  readonly store = new RunStore({ prefix: "c", item: "diagnostic", outputTool: "cargo_output" });
  readonly #queue = new RunQueue();
  readonly #calls = new RunningCalls();

  constructor(
    private readonly services: CargoServices,
    private readonly timeoutMs: number,
    private readonly trust: FolderTrust,
  ) {}

  /** Rejects if the call or its session is cancelled, after all started processes are gone. */
  run(call: CargoCall, session: RunSession, context: ToolContext): Promise<ToolResult | string> {
    return this.#calls.run([context.signal, session.signal], (signal) => this.#run(call, session, context, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
  }

  async #run(
    call: CargoCall,
    session: RunSession,
    context: ToolContext,
    signal: AbortSignal,
  ): Promise<ToolResult | string> {
    const cwd = await this.services.folder(session.cwd, call.cwd ?? ".");
    if (cwd === undefined) {
      return failed(
        `cwd: "${call.cwd ?? session.cwd}" is not a folder.`,
        "Give an existing folder inside a Cargo package.",
      );
    }
    await this.trust.require({ folder: cwd, workspace: session.cwd, reason, asker: askerOf(session, signal) });
    if (signal.aborted) throw cancelled(call);
    const timeoutMs = call.timeoutMs ?? this.timeoutMs;
    const found = await this.#inspect(call, cwd, { signal, timeoutMs });
    if ("content" in found) return found;
    context.progress(call.commandLine);
    const waits = (): void => context.progress(`waiting for another cargo in ${found.targetDirectory}`);
    const endTurn = await this.#queue.take(found.targetDirectory, signal, waits);
    if (endTurn === undefined) throw cancelled(call);
    try {
      return await this.#build(call, cwd, found, context, { signal, timeoutMs });
    } finally {
      endTurn();
    }
  }

  /** Reads the workspace's metadata first. That is fast and finds most errors of a call before it waits for another run. */
  async #inspect(
    call: CargoCall,
    cwd: string,
    limits: Pick<RunLimits, "signal" | "timeoutMs">,
  ): Promise<WorkspaceFacts | ToolResult> {
    let output = "";
    const args = [...call.toolchain, "metadata", "--no-deps", "--format-version", "1"];
    const env = { ...environment, ...call.env };
    const exit = await this.services.run({ args, cwd, env }, { ...limits, output: (text) => (output += text) });
    if (exit.endedBy === "cancel") throw cancelled(call);
    if (exit.startError !== undefined) return notStarted(exit.startError);
    const facts = exit.code === 0 ? parseMetadata(output) : undefined;
    if (facts) return facts;
    if (exit.endedBy === "timeout") return failed(`cargo metadata took more than ${limits.timeoutMs / 1000} s.`);
    const unusable = call.toolchain.length === 0 ? unusableCargo(output) : undefined;
    if (unusable) return failed(`cargo cannot run: ${unusable.reason}.`, unusable.hint);
    const said = tidyOutput(
      output
        .trim()
        .split(/\n\s*Stack backtrace:/, 1)[0]
        ?.split("\n") ?? [],
    )
      .lines.join("\n")
      .slice(0, maxErrorLength);
    return failed(
      said === "" ? `${call.commandLine}: cargo metadata failed without a message` : said,
      remedyFor(said, undefined),
    );
  }

  async #build(
    call: CargoCall,
    cwd: string,
    facts: WorkspaceFacts,
    context: ToolContext,
    limits: Pick<RunLimits, "signal" | "timeoutMs">,
  ): Promise<ToolResult | string> {
    const stored = await this.store.add(await this.services.createLog());
    const env = { ...environment, ...call.env };
    await using total = new PackageTotal(this.services, { args: [...call.toolchain, ...call.tree], cwd, env });
    const transcript: CargoTranscript = new CargoTranscript(call.verb.kind, {
      log: (text) => stored.log.append(text),
      progress: (message) => context.progress(message),
      compiling: (message) => {
        // A single package builds too fast for a total to matter.
        if (transcript.units > 1) void total.ask();
        context.progress(`${message}${share(transcript.builtPackages.size, total.packages)}`);
      },
    });
    const command = { args: [...call.toolchain, ...call.args], cwd, env };
    const exit = await this.services.run(command, { ...limits, output: (text) => transcript.push(text) });
    transcript.end();
    if (exit.endedBy === "cancel") throw cancelled(call);
    if (exit.startError !== undefined) return notStarted(exit.startError);
    stored.details = transcript.diagnostics.groups().map(
      ({ members }) =>
        () =>
          members.map(({ diagnostic }) => diagnostic.rendered.trimEnd()).join("\n\n"),
    );
    const report = formatReport(transcript, {
      command: call.commandLine,
      exit,
      handle: stored.handle,
      cwd,
      root: facts.root,
      timeoutMs: limits.timeoutMs,
    });
    const remedy = remedyFor(transcript.notices.errors.flatMap(({ lines }) => lines).join("\n"), facts);
    const text = remedy === undefined ? report : `${report}\n${remedy}`;
    return isFault(transcript, exit) ? failedTool(text) : text;
  }
}

/** Returns the progress of a build as the end of a line; empty if the total is unknown or too low. */
function share(built: number, total: number | undefined): string {
  return total === undefined || built > total ? "" : ` (${built} of ${total} packages built)`;
}

/** Compile errors and failed tests are results. Only a cargo that couldn't do its work is an error. */
function isFault(transcript: CargoTranscript, exit: RunExit): boolean {
  if (exit.endedBy !== undefined) return true;
  const { diagnostics, tests, notices, format, isBuilt } = transcript;
  const hasResult = isBuilt !== undefined || diagnostics.size > 0 || tests.suites.length > 0 || format.files.length > 0;
  return exit.code !== 0 && !hasResult && notices.notCompiled.length === 0;
}

function notStarted(startError: string): ToolResult {
  if (startError !== "ENOENT") return failed(`cargo could not be started: ${startError}.`);
  return failed("cargo is not on the PATH.", absentCargo.hint);
}

function failed(message: string, hint?: string): ToolResult {
  return failedTool(hint === undefined ? message : `${message}\n${hint}`);
}

function cancelled(call: CargoCall): SymposiumError {
  return new SymposiumError("cancelled", `${call.commandLine} was cancelled.`);
}
