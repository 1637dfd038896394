import { SymposiumError } from "../../base/symposium-error.js";
import { failedTool, type ToolContext, type ToolResult } from "../../base/mcp/tool-server.js";
import {
  askerOf,
  type RunCommand,
  type RunExit,
  type RunLimits,
  RunningCalls,
  type RunQueue,
  type RunSession,
} from "../../base/runs/run.js";
import { type RunLog, RunStore, type StoredRun } from "../runs/run-store.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import type { ProjectFacts, RunFile } from "./test-runner.js";

/** System access for test and check runs. Disposing deletes the reporter files, which are written again when needed. */
export interface TestServices extends AsyncDisposable {
  /** Resolves `path` against `base` to an absolute real path; undefined if the path doesn't exist. */
  resolve(base: string, path: string): Promise<string | undefined>;
  /** Returns the projects in and below `folder`. If `isWanted` is false for all of them, returns the nearest project above. */
  projects(folder: string, isWanted: (facts: ProjectFacts) => boolean): Promise<readonly ProjectFacts[]>;
  /** Whether `folder` seems to contain a supported project. The check is synchronous, since opening a session waits for it. */
  hasProject(folder: string): boolean;
  /**
   * Returns a folder's test files as Node 20 finds them, since later Node versions don't search folders. If `path` is a file, returns only
   * that file.
   */
  nodeTests(path: string): Promise<readonly string[]>;
  /** Runs a command. If there is a `file`, it exists during the run, and its path replaces `{file}` in the arguments. */
  run(command: RunCommand & { readonly file?: RunFile }, limits: RunLimits): Promise<RunExit>;
  createLog(): Promise<RunLog>;
  /** Returns the absolute path of the folder with Symposium's reporters, with `/`. */
  reporters(): Promise<string>;
  /** Creates a file to which reporters write events. Disposing deletes the file. */
  eventFile(): Promise<EventFile>;
  /** Collects the result files that a build writes below `folder`. `read` returns them in the format of an event file. */
  newReports(folder: string): Promise<Pick<EventFile, "read">>;
}

export interface EventFile extends AsyncDisposable {
  readonly path: string;
  read(): Promise<string>;
}

export interface RunCall {
  /** File or folder to run, absolute or relative to the session's folder. */
  readonly path?: string;
  readonly timeoutMs?: number;
}

interface FolderRun {
  readonly folder: string;
  /** Explanation for users why this program was chosen. */
  readonly why: string;
}

/** One run of a call, with its stored output and limits. */
export interface OpenRun extends Pick<RunLimits, "signal" | "timeoutMs"> {
  readonly stored: StoredRun;
  /**
   * Name of the project's folder to show in reports, if it isn't the session's folder. The report's paths are relative to the project's
   * folder.
   */
  readonly place?: string;
}

interface ProjectWork<R extends FolderRun> {
  /** Name of the work in cancellation errors, for example `check`. */
  readonly name: string;
  /** Reason why a project must be trusted before anything runs in it. */
  readonly reason: string;
  /** Returns the runs for `path` with notes to add to the report, or a complete answer if nothing can run. */
  find(path: string): Promise<{ readonly runs: readonly R[]; readonly notes?: readonly string[] } | ToolResult>;
  run(one: R, path: string, open: OpenRun): Promise<string>;
}

interface OneRun<R extends FolderRun> {
  readonly call: RunCall;
  readonly work: ProjectWork<R>;
  readonly one: R;
  readonly path: string;
  readonly context: ToolContext;
  readonly signal: AbortSignal;
  readonly place: Pick<OpenRun, "place">;
}

/** Runs programs in projects for tool calls, one at a time per folder. Disposing ends all runs. */
export class ProjectRuns implements AsyncDisposable {
  readonly store = new RunStore({ prefix: "t", item: "fault", outputTool: "output" });
  readonly #calls = new RunningCalls();

  /** Creates an object without runs. Pass the same `queue` to all objects that run programs in the same folders. */
  constructor(
    readonly services: TestServices,
    private readonly timeoutMs: number,
    private readonly trust: FolderTrust,
    private readonly queue: RunQueue,
  ) {}

  /** Does the work for a tool call. If the call or its session is cancelled, rejects after all started processes have ended. */
  run<R extends FolderRun>(
    call: RunCall,
    work: ProjectWork<R>,
    session: RunSession,
    context: ToolContext,
  ): Promise<ToolResult | string> {
    return this.#calls.run([context.signal, session.signal], async (signal) => {
      const path = await this.services.resolve(session.cwd, call.path ?? ".");
      if (path === undefined) {
        const fault = `path: "${call.path ?? session.cwd}" does not exist.`;
        return failedTool(`${fault}\nGive a file or folder in the workspace, or leave path out.`);
      }
      const found = await work.find(path);
      if ("content" in found) return found;
      const asker = askerOf(session, signal);
      for (const { folder } of found.runs) {
        await this.trust.require({ folder, workspace: session.cwd, reason: work.reason, asker });
      }
      const reports: string[] = [];
      const own = (await this.services.resolve(session.cwd, ".")) ?? session.cwd;
      for (const one of found.runs) {
        const place = placeFrom(own, one.folder);
        reports.push(await this.#runOne({ call, work, one, path, context, signal, place }));
      }
      return [...reports, ...(found.notes ?? []).map((note) => `note: ${note}`)].join("\n\n");
    });
  }

  async #runOne<R extends FolderRun>({ call, work, one, path, context, signal, place }: OneRun<R>): Promise<string> {
    const waits = (): void => context.progress(`waiting for another run in ${one.folder}`);
    const endTurn = signal.aborted ? undefined : await this.queue.take(one.folder, signal, waits);
    if (endTurn === undefined) throw cancelled(work.name);
    try {
      context.progress(one.why);
      const stored = await this.store.add(await this.services.createLog());
      return await work.run(one, path, { stored, signal, timeoutMs: call.timeoutMs ?? this.timeoutMs, ...place });
    } finally {
      endTurn();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    await this.services[Symbol.asyncDispose]();
  }
}

function placeFrom(own: string, folder: string): Pick<OpenRun, "place"> {
  if (folder === own) return {};
  const isBelow = folder.startsWith(own) && /^[\\/]/.test(folder.slice(own.length));
  return { place: isBelow ? folder.slice(own.length + 1).replaceAll("\\", "/") : folder };
}

/** Creates the error for a cancelled run; `name` is the kind of work, for example `check`. */
export function cancelled(name: string): SymposiumError {
  return new SymposiumError("cancelled", `The ${name} was cancelled.`);
}
