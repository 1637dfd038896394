import { SymposiumError } from "../../base/symposium-error.js";
import type { ToolContext, ToolResult } from "../../mcp/tool-server.js";
import type { CheckReport } from "../../runs/check-report.js";
import { relative } from "../../runs/fault-lines.js";
import { formatCheckRun } from "../../runs/format-check-report.js";
import { askerOf, type RunExit, type RunLimits, RunningCalls, type RunQueue, type RunSession } from "../../runs/run.js";
import type { RunStore } from "../../runs/run-store.js";
import type { FolderTrust } from "../../trust/folder-trust.js";
import { type CheckCommand, type Checker, checkersOf, type CheckPart, readParts } from "./checker.js";
import type { TestServices } from "./test-runs.js";

/** The words of one call of `check`. */
interface CheckCall {
  /** A file or folder, absolute or from the session's folder. */
  readonly path?: string;
  readonly timeoutMs?: number;
}

/** Characters; no more compilers are started behind it. */
const maxOutputLength = 64 * 1024 * 1024;
const reason = "Checking types and style runs what the project configures: plugins are code.";

/** Runs compilers and linters of projects for tool calls, one at a time in each folder. Disposing ends what runs. */
export class CheckRuns implements AsyncDisposable {
  readonly #calls = new RunningCalls();

  /** `store` keeps the runs; its owner disposes it, and `services`. `queue` is that of all who run something in the same folders. */
  constructor(
    private readonly services: TestServices,
    private readonly store: RunStore,
    private readonly timeoutMs: number,
    private readonly trust: FolderTrust,
    private readonly queue: RunQueue,
  ) {}

  /** Rejects when the call or its session is cancelled, with everything it started gone. */
  run(call: CheckCall, session: RunSession, context: ToolContext): Promise<ToolResult> {
    return this.#calls.run([context.signal, session.signal], (signal) => this.#run(call, session, context, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
  }

  async #run(call: CheckCall, session: RunSession, context: ToolContext, signal: AbortSignal): Promise<ToolResult> {
    const path = await this.services.resolve(session.cwd, call.path ?? ".");
    if (path === undefined) {
      const hint = "Give a file or folder of the workspace, or none.";
      return failed(`path: there is no "${call.path ?? session.cwd}".`, hint);
    }
    const projects = await this.services.projects(path, (facts) => checkersOf(facts).length > 0);
    const all = projects.flatMap(checkersOf).filter(({ name }) => reads(name, path));
    const checkers = all.filter(({ name, folder }) => {
      return !all.some((one) => one.name === name && one.covers?.includes(folder) === true);
    });
    if (checkers.length === 0) {
      const hint =
        "Known are tsc (a tsconfig.json), eslint, biome, oxlint, ruff, mypy, pyright and golangci-lint (where they are configured and installed), go vet, gcc or clang (a compile_commands.json), and javac by Maven or Gradle.";
      return failed(`Nothing that checks types or style was found at ${path}.`, hint);
    }
    for (const { folder } of checkers) {
      await this.trust.require({ folder, workspace: session.cwd, reason, asker: askerOf(session, signal) });
    }
    const texts: string[] = [];
    for (const checker of checkers) {
      if (signal.aborted) throw cancelled();
      texts.push(await this.#runOne(checker, path, call.timeoutMs ?? this.timeoutMs, context, signal));
    }
    return { content: [{ type: "text", text: texts.join("\n\n") }] };
  }

  async #runOne(
    checker: Checker,
    path: string,
    timeoutMs: number,
    context: ToolContext,
    signal: AbortSignal,
  ): Promise<string> {
    const { name, folder, why } = checker;
    const endTurn = await this.queue.take(folder, signal, () => {
      context.progress(`waiting for another run in ${folder}`);
    });
    if (endTurn === undefined) throw cancelled();
    try {
      context.progress(why);
      const stored = await this.store.add(await this.services.createLog());
      const limits = { signal, timeoutMs, output: (text: string) => stored.log.append(text) };
      const asked = path !== folder && path.startsWith(folder) ? path : undefined;
      const { exit: ended, parts } = await this.#runAll(checker.commands(asked), limits);
      if (ended.endedBy === "cancel") throw cancelled();
      const told = ended.startError === undefined ? readParts(name, parts) : undefined;
      const isWell = told?.exitCode === 0 && ended.endedBy === undefined;
      const exit: RunExit = isWell ? { ...ended, code: 0, signal: null } : ended;
      const report = told?.report && withDoubt(withLeftOut(told.report, checker.leftOut?.(asked)), checker, path);
      const raw = parts.map(({ output, errors }) => `${output}\n${errors}`).join("\n");
      const facts = { name, exit, handle: stored.handle, folder, timeoutMs, raw };
      const { text, details } = formatCheckRun(report, facts);
      stored.details = details;
      return report === undefined ? `${text}\nnote: ${why}` : text;
    } finally {
      endTurn();
    }
  }

  /**
   * One after the other, also after one that failed, all within one time and one amount of output; the exit is that of the
   * first that failed, or of one that was ended.
   */
  async #runAll(
    commands: readonly CheckCommand[],
    limits: Omit<RunLimits, "errors">,
  ): Promise<{ readonly exit: RunExit; readonly parts: readonly CheckPart[] }> {
    const parts: CheckPart[] = [];
    let exit: RunExit = { code: 0, signal: null, durationMs: 0 };
    let length = 0;
    for (const command of commands) {
      if (length >= maxOutputLength) return { exit: { ...exit, endedBy: "output-limit" }, parts };
      let output = "";
      let errors = "";
      const { durationMs, ...end } = await this.services.run(command, {
        signal: limits.signal,
        timeoutMs: Math.max(1, limits.timeoutMs - exit.durationMs),
        output: (text) => {
          limits.output(text);
          output += text;
        },
        errors: (text) => {
          limits.output(text);
          errors += text;
        },
      });
      length += output.length + errors.length;
      const { leavesOut } = command;
      parts.push({ output, errors, exitCode: end.code, ...(leavesOut && { leavesOut }) });
      const isFirst = exit.code === 0;
      exit = { ...(isFirst ? end : exit), durationMs: exit.durationMs + durationMs };
      if (end.endedBy !== undefined || end.startError !== undefined) {
        return { exit: { ...end, durationMs: exit.durationMs }, parts };
      }
    }
    return { exit, parts };
  }
}

const languages = [
  { files: /\.[cm]?[jt]sx?$/, names: ["tsc", "eslint", "biome", "oxlint"] },
  { files: /\.pyi?$/, names: ["ruff", "mypy", "pyright"] },
  { files: /\.go$/, names: ["go vet", "golangci-lint"] },
  { files: /\.(?:[ch]|cc|hh|[ch]pp|[ch]xx)$/i, names: ["gcc", "clang"] },
  { files: /\.(?:java|kts?)$/, names: ["javac"] },
] as const;

/** Whether it is for a file of this language; every checker is for a folder. */
function reads(name: Checker["name"], path: string): boolean {
  const language = languages.find(({ files }) => files.test(path));
  return language === undefined || language.names.some((one) => one === name);
}

function withLeftOut(report: CheckReport, leftOut: string | undefined): CheckReport {
  return leftOut === undefined ? report : { ...report, notices: [leftOut, ...report.notices] };
}

/** Where tsc says nothing of a file, it may not have read it: it checks projects, and leaves JavaScript out without checkJs. */
function withDoubt(report: CheckReport, { name, folder }: Checker, path: string): CheckReport {
  if (name !== "tsc" || !languages.some(({ files }) => files.test(path))) return report;
  const fromFolder = (file: string): string => relative(file, folder).replaceAll("\\", "/");
  const wanted = fromFolder(path);
  if (report.findings.some(({ file }) => file !== undefined && fromFolder(file) === wanted)) return report;
  const doubt = `tsc checks what tsconfig.json includes, which may leave out ${wanted}`;
  return { ...report, notices: [doubt, ...report.notices] };
}

function failed(message: string, hint: string): ToolResult {
  return { content: [{ type: "text", text: `${message}\n${hint}` }], isError: true };
}

function cancelled(): SymposiumError {
  return new SymposiumError("cancelled", "The check was cancelled.");
}
