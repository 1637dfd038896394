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

/** What running tests and checks needs of the operating system. Disposing removes the reporters, which come again when they are needed. */
export interface TestServices extends AsyncDisposable {
  /** The absolute path that `path` means from `base`, links followed; undefined when there is none. */
  resolve(base: string, path: string): Promise<string | undefined>;
  /** The projects in `folder` and below, and the nearest one above where none in it `isWanted`. */
  projects(folder: string, isWanted: (facts: ProjectFacts) => boolean): Promise<readonly ProjectFacts[]>;
  /** Whether anything in `folder` looks like a project of ours. At once, since a session waits for it. */
  hasProject(folder: string): boolean;
  /** The tests in a folder as Node 20 finds them, which later ones do not; a file itself. */
  nodeTests(path: string): Promise<readonly string[]>;
  /** Runs it, with `file` beside it for as long, whose path replaces `{file}` in the arguments. */
  run(command: RunCommand & { readonly file?: RunFile }, limits: RunLimits): Promise<RunExit>;
  createLog(): Promise<RunLog>;
  /** The folder of our reporters, absolute, with "/" between its parts. */
  reporters(): Promise<string>;
  /** A file that reporters may write: its path, and what is in it. Disposing removes it. */
  eventFile(): Promise<EventFile>;
  /** The files of results that a build leaves below `folder` from now on, read as the lines of an event file. */
  newReports(folder: string): Promise<Pick<EventFile, "read">>;
}

export interface EventFile extends AsyncDisposable {
  readonly path: string;
  read(): Promise<string>;
}

/** What every call says of what it runs. */
export interface RunCall {
  /** A file or folder, absolute or from the session's folder. */
  readonly path?: string;
  readonly timeoutMs?: number;
}

/** What is run in the folder of a project. */
interface FolderRun {
  readonly folder: string;
  /** For people: why this is what is run. */
  readonly why: string;
}

/** One run of a call: where its output is kept, and what ends it. */
export interface OpenRun extends Pick<RunLimits, "signal" | "timeoutMs"> {
  readonly stored: StoredRun;
  /** The folder of the project as the session has to be told, where it is not the session's own: its paths are from there. */
  readonly place?: string;
}

/** What a kind of calls runs, and how. */
interface ProjectWork<R extends FolderRun> {
  /** What is cancelled, such as `check`. */
  readonly name: string;
  /** Why a project has to be trusted before anything runs in it. */
  readonly reason: string;
  /** What there is to run for `path`, and notes about that for the end; or the whole answer. */
  find(path: string): Promise<{ readonly runs: readonly R[]; readonly notes?: readonly string[] } | ToolResult>;
  /** Resolves with the report. */
  run(one: R, path: string, open: OpenRun): Promise<string>;
}

/** One of the runs of a call. */
interface OneRun<R extends FolderRun> {
  readonly call: RunCall;
  readonly work: ProjectWork<R>;
  readonly one: R;
  readonly path: string;
  readonly context: ToolContext;
  readonly signal: AbortSignal;
  readonly place: Pick<OpenRun, "place">;
}

/** Runs programs in projects for tool calls, one at a time in each folder. Disposing ends what runs. */
export class ProjectRuns implements AsyncDisposable {
  readonly store = new RunStore({ prefix: "t", item: "fault", outputTool: "output" });
  readonly #calls = new RunningCalls();

  /** `queue` is that of all who run something in the same folders. */
  constructor(
    readonly services: TestServices,
    private readonly timeoutMs: number,
    private readonly trust: FolderTrust,
    private readonly queue: RunQueue,
  ) {}

  /** Rejects when the call or its session is cancelled, with everything it started gone. */
  run<R extends FolderRun>(
    call: RunCall,
    work: ProjectWork<R>,
    session: RunSession,
    context: ToolContext,
  ): Promise<ToolResult | string> {
    return this.#calls.run([context.signal, session.signal], async (signal) => {
      const path = await this.services.resolve(session.cwd, call.path ?? ".");
      if (path === undefined) {
        const fault = `path: there is no "${call.path ?? session.cwd}".`;
        return failedTool(`${fault}\nGive a file or folder of the workspace, or none.`);
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

/** Of what was cancelled, such as `check`. */
export function cancelled(name: string): SymposiumError {
  return new SymposiumError("cancelled", `The ${name} was cancelled.`);
}
