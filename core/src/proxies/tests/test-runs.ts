import { SymposiumError } from "../../base/symposium-error.js";
import type { ToolContext, ToolResult } from "../../mcp/tool-server.js";
import { formatTestRun } from "../../runs/format-test-report.js";
import { readBunTest } from "../../runs/bun-tests.js";
import { goTestWords, readGoTest } from "../../runs/go-test-events.js";
import {
  askerOf,
  type RunCommand,
  type RunExit,
  type RunLimits,
  RunningCalls,
  type RunQueue,
  type RunSession,
} from "../../runs/run.js";
import { type RunLog, RunStore } from "../../runs/run-store.js";
import { readGradle, readMaven } from "../../runs/jvm-tests.js";
import { readTestEvents, type TestReport } from "../../runs/test-report.js";
import type { FolderTrust } from "../../trust/folder-trust.js";
import { eachOnce } from "./package-scripts.js";
import { type ProjectFacts, type RunFile, runnersOf, type TestRunner } from "./test-runner.js";

/** What running tests needs of the operating system. Disposing removes the reporters, which come again when they are needed. */
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

/** The words of one call of `run_tests`. */
interface TestCall {
  /** A file or folder, absolute or from the session's folder. */
  readonly path?: string;
  readonly filter?: string;
  readonly onlyFailed?: boolean;
  readonly timeoutMs?: number;
}

const reason = "Running tests runs code of the project, and what its configuration names.";
const maxRawLength = 4 * 1024 * 1024;

/** Runs the tests of projects for tool calls, one run at a time in each folder. Disposing ends what runs. */
export class TestRuns implements AsyncDisposable {
  readonly store = new RunStore({ prefix: "t", item: "fault", outputTool: "output" });
  readonly #calls = new RunningCalls();
  /** The files whose tests failed in the last run, by folder and runner. */
  readonly #failed = new Map<string, readonly string[]>();

  /** `queue` is that of all who run something in the same folders. */
  constructor(
    private readonly services: TestServices,
    private readonly timeoutMs: number,
    private readonly trust: FolderTrust,
    private readonly queue: RunQueue,
  ) {}

  /** Rejects when the call or its session is cancelled, with everything it started gone. */
  run(call: TestCall, session: RunSession, context: ToolContext): Promise<ToolResult> {
    return this.#calls.run([context.signal, session.signal], (signal) => this.#run(call, session, context, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    await this.services[Symbol.asyncDispose]();
  }

  async #run(call: TestCall, session: RunSession, context: ToolContext, signal: AbortSignal): Promise<ToolResult> {
    const path = await this.services.resolve(session.cwd, call.path ?? ".");
    if (path === undefined) {
      return failed(
        `path: there is no "${call.path ?? session.cwd}".`,
        "Give a file or folder of the workspace, or none.",
      );
    }
    const projects = await this.services.projects(path, (facts) => runnersOf(facts).length > 0);
    const { runners, notes } = eachOnce(projects.flatMap(runnersOf));
    if (runners.length === 0) {
      const hint =
        "Known are vitest, jest, mocha, playwright and node:test (installed, and named in package.json), bun test, pytest, go test, Maven and Gradle.";
      return failed(`No project with tests was found at ${path}.`, hint);
    }
    const chosen = call.onlyFailed === true ? runners.filter((runner) => this.#failed.has(keyOf(runner))) : runners;
    if (chosen.length === 0) return { content: [{ type: "text", text: "No test failed in the last run." }] };
    for (const { folder } of chosen) {
      await this.trust.require({ folder, workspace: session.cwd, reason, asker: askerOf(session, signal) });
    }
    const texts: string[] = [];
    for (const runner of chosen) {
      if (signal.aborted) throw cancelled();
      texts.push(await this.#runOne(runner, path, call, context, signal));
    }
    const told = [...texts, ...notes.map((note) => `note: ${note}`)];
    return { content: [{ type: "text", text: told.join("\n\n") }] };
  }

  async #runOne(
    runner: TestRunner,
    path: string,
    call: TestCall,
    context: ToolContext,
    signal: AbortSignal,
  ): Promise<string> {
    const waits = (): void => context.progress(`waiting for another run in ${runner.folder}`);
    const endTurn = await this.queue.take(runner.folder, signal, waits);
    if (endTurn === undefined) throw cancelled();
    try {
      context.progress(runner.why);
      const stored = await this.store.add(await this.services.createLog());
      await using events = await this.services.eventFile();
      const reports = runner.leavesReports === true ? await this.services.newReports(runner.folder) : events;
      const isInside = path !== runner.folder && path.startsWith(runner.folder);
      const inside = !isInside ? [] : runner.name === "node" ? await this.services.nodeTests(path) : [path];
      const paths = call.onlyFailed === true ? (this.#failed.get(keyOf(runner)) ?? inside) : inside;
      const selection = { paths, ...(call.filter !== undefined && { filter: call.filter }) };
      const command = runner.command(selection, await this.services.reporters(), events.path);
      const timeoutMs = call.timeoutMs ?? this.timeoutMs;
      let raw = "";
      // Go writes events, of which people read the words.
      const words = runner.name === "go" ? goWordsTo((text) => stored.log.append(text)) : undefined;
      const readsAll = runner.name === "go" || runner.name === "bun" || runner.leavesReports === true;
      const exit = await this.services.run(command, {
        signal,
        timeoutMs,
        output: (text) => {
          if (words) words.push(text);
          else stored.log.append(text);
          // Their report is read from it: what were cut off would be failures, or the verdict. The run itself has a limit.
          if (readsAll || raw.length < maxRawLength) raw += text;
        },
      });
      words?.end();
      if (exit.endedBy === "cancel") throw cancelled();
      const report = reportOf(runner, raw, await reports.read());
      const failedFiles = [...new Set(report?.faults.flatMap(({ testFile, file }) => testFile ?? file ?? []) ?? [])];
      if (failedFiles.length > 0) this.#failed.set(keyOf(runner), failedFiles);
      else if (exit.code === 0 && report?.isComplete !== false) this.#failed.delete(keyOf(runner));
      // It broke off, or failed without saying where: all of it is to be run again.
      else this.#failed.set(keyOf(runner), inside);
      const facts = {
        name: runner.name,
        exit,
        handle: stored.handle,
        folder: runner.folder,
        timeoutMs,
        raw: wordsOf(runner, raw),
      };
      const { text, details } = formatTestRun(report, facts);
      stored.details = details;
      return report === undefined || runner.isGuess === true ? `${text}\nnote: ${runner.why}` : text;
    } finally {
      endTurn();
    }
  }
}

/** What a run told: `raw` is what it wrote, `events` what our reporter in it did. */
export function reportOf(
  { name, goModule = "" }: Pick<TestRunner, "name" | "goModule">,
  raw: string,
  events: string,
): TestReport | undefined {
  if (name === "script") return undefined;
  if (name === "bun") return readBunTest(raw);
  if (name === "maven") return readMaven(raw, events);
  if (name === "gradle") return readGradle(raw, events);
  if (name !== "go") return readTestEvents(events);
  return readGoTest(raw, (path) =>
    path === goModule ? "" : path.startsWith(`${goModule}/`) ? path.slice(goModule.length + 1) : path,
  );
}

/** What a run wrote, as people read it. */
export function wordsOf({ name }: Pick<TestRunner, "name">, raw: string): string {
  return name === "go" ? goTestWords(raw) : raw;
}

/** Passes on the words of Go's events, line by line. */
function goWordsTo(append: (text: string) => void): { push(text: string): void; end(): void } {
  let rest = "";
  return {
    push: (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      if (lines.length > 0) append(goTestWords(`${lines.join("\n")}\n`));
    },
    end: () => {
      if (rest !== "") append(goTestWords(rest));
      rest = "";
    },
  };
}

function keyOf({ folder, name }: TestRunner): string {
  return `${name} ${folder}`;
}

function failed(message: string, hint: string): ToolResult {
  return { content: [{ type: "text", text: `${message}\n${hint}` }], isError: true };
}

function cancelled(): SymposiumError {
  return new SymposiumError("cancelled", "The run of the tests was cancelled.");
}
