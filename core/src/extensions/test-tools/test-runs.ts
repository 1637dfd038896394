import { failedTool, type ToolContext, type ToolResult } from "../../base/mcp/tool-server.js";
import { readBunTest } from "../runs/bun-tests.js";
import { formatTestRun } from "../runs/format-test-report.js";
import { goTestWords, readGoTest } from "../runs/go-test-events.js";
import { readGradle, readMaven } from "../runs/jvm-tests.js";
import type { RunSession } from "../../base/runs/run.js";
import { readTestEvents, type TestReport } from "../runs/test-report.js";
import { eachOnce } from "./package-scripts.js";
import { cancelled, type OpenRun, type ProjectRuns, type RunCall } from "./project-runs.js";
import { runnersOf, type TestRunner } from "./test-runner.js";

interface TestCall extends RunCall {
  readonly filter?: string;
  readonly onlyFailed?: boolean;
}

const name = "run of the tests";
const reason = "Running tests runs project code, and programs that its configuration names.";
const maxRawLength = 4 * 1024 * 1024;

export class TestRuns {
  /** Files with failed tests in the last run, by folder and runner. */
  readonly #failed = new Map<string, readonly string[]>();

  constructor(private readonly runs: ProjectRuns) {}

  /** Runs tests for a tool call. If the call or its session is cancelled, rejects after all started processes have ended. */
  run(call: TestCall, session: RunSession, context: ToolContext): Promise<ToolResult | string> {
    const work = {
      name,
      reason,
      find: (path: string) => this.#find(call, path),
      run: (runner: TestRunner, path: string, open: OpenRun) => this.#run(runner, path, call, open),
    };
    return this.runs.run(call, work, session, context);
  }

  async #find(
    call: TestCall,
    path: string,
  ): Promise<{ readonly runs: readonly TestRunner[]; readonly notes: readonly string[] } | ToolResult> {
    const projects = await this.runs.services.projects(path, (facts) => runnersOf(facts).length > 0);
    const { runners, notes } = eachOnce(projects.flatMap(runnersOf));
    if (runners.length === 0) {
      const known =
        "Supported are vitest, jest, mocha, playwright and node:test (installed, and named in package.json), bun test, pytest, go " +
        "test, Maven and Gradle.";
      return failedTool(`No project with tests was found at ${path}.\n${known}`);
    }
    const runs = call.onlyFailed === true ? runners.filter((runner) => this.#failed.has(keyOf(runner))) : runners;
    if (runs.length === 0) return { content: [{ type: "text", text: "No test failed in the last run." }] };
    return { runs, notes };
  }

  async #run(
    runner: TestRunner,
    path: string,
    call: TestCall,
    { stored, signal, timeoutMs, place }: OpenRun,
  ): Promise<string> {
    const { services } = this.runs;
    await using events = await services.eventFile();
    const reports = runner.leavesReports === true ? await services.newReports(runner.folder) : events;
    const isInside = path !== runner.folder && path.startsWith(runner.folder);
    const inside = !isInside ? [] : runner.name === "node" ? await services.nodeTests(path) : [path];
    const paths = call.onlyFailed === true ? (this.#failed.get(keyOf(runner)) ?? inside) : inside;
    const selection = { paths, ...(call.filter !== undefined && { filter: call.filter }) };
    const command = runner.command(selection, await services.reporters(), events.path);
    let raw = "";
    // Go writes JSON events, but users should read only the output that the events contain.
    const words = runner.name === "go" ? goWordsTo((text) => stored.log.append(text)) : undefined;
    const readsAll = runner.name === "go" || runner.name === "bun" || runner.leavesReports === true;
    const exit = await services.run(command, {
      signal,
      timeoutMs,
      output: (text) => {
        if (words) words.push(text);
        else stored.log.append(text);
        // Keep all output if the report is read from it, since cutting it could lose failures or the result. The output of a run has its
        // own limit.
        if (readsAll || raw.length < maxRawLength) raw += text;
      },
    });
    words?.end();
    if (exit.endedBy === "cancel") throw cancelled(name);
    const report = reportOf(runner, raw, await reports.read());
    const failedFiles = [...new Set(report?.faults.flatMap(({ testFile, file }) => testFile ?? file ?? []) ?? [])];
    if (failedFiles.length > 0) this.#failed.set(keyOf(runner), failedFiles);
    else if (exit.code === 0 && report?.isComplete !== false) this.#failed.delete(keyOf(runner));
    // After an interrupted run, or a failure without a known file, the next run must repeat all tests.
    else this.#failed.set(keyOf(runner), inside);
    const facts = {
      name: runner.name,
      exit,
      handle: stored.handle,
      folder: runner.folder,
      ...(place !== undefined && { place }),
      timeoutMs,
      raw: wordsOf(runner, raw),
    };
    const { text, details } = formatTestRun(report, facts);
    stored.details = details;
    return report === undefined || runner.isGuess === true ? `${text}\nnote: ${runner.why}` : text;
  }
}

/** Parses a run's report. `raw` is the runner's output, `events` that of Symposium's reporter. */
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

/** Returns the human-readable output of a run. */
export function wordsOf({ name }: Pick<TestRunner, "name">, raw: string): string {
  return name === "go" ? goTestWords(raw) : raw;
}

/** Creates a stream that extracts the output from Go's JSON events line by line and passes it to `append`. */
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
