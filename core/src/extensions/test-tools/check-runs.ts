import { failedTool, type ToolContext, type ToolResult } from "../../base/mcp/tool-server.js";
import type { CheckReport } from "../runs/check-report.js";
import { relative } from "../runs/fault-lines.js";
import { formatCheckRun } from "../runs/format-check-report.js";
import type { RunExit, RunLimits, RunSession } from "../../base/runs/run.js";
import { type CheckCommand, type Checker, checkersOf, type CheckPart, readParts } from "./checker.js";
import { cancelled, type OpenRun, type ProjectRuns, type RunCall, type TestServices } from "./project-runs.js";

/** Maximum output in characters. If a command exceeds this length, no further commands start. */
const maxOutputLength = 64 * 1024 * 1024;
const name = "check";
const reason = "Checking types and style runs code that the project configures, such as plugins.";

/** Runs compilers and linters for a tool call. If the call or its session is cancelled, rejects after all started processes have ended. */
export function runChecks(
  runs: ProjectRuns,
  call: RunCall,
  session: RunSession,
  context: ToolContext,
): Promise<ToolResult | string> {
  const { services } = runs;
  const find = (path: string): ReturnType<typeof findCheckers> => findCheckers(services, path);
  const run = (checker: Checker, path: string, open: OpenRun): Promise<string> =>
    runChecker(services, checker, path, open);
  return runs.run(call, { name, reason, find, run }, session, context);
}

async function findCheckers(
  services: TestServices,
  path: string,
): Promise<{ readonly runs: readonly Checker[]; readonly notes: readonly string[] } | ToolResult> {
  const projects = await services.projects(path, (facts) => checkersOf(facts).length + facts.checks.missing.length > 0);
  const all = projects.flatMap(checkersOf).filter(({ name }) => reads(name, path));
  const checkers = all.filter(({ name, folder }) => {
    return !all.some((one) => one.name === name && one.covers?.includes(folder) === true);
  });
  const notes = projects.flatMap(({ folder, checks }) =>
    checks.missing
      .filter(({ name }) => reads(name, path))
      .map(({ name, install }) => `${name} is configured in ${folder}, but not installed: run \`${install}\` there`),
  );
  if (checkers.length > 0) return { runs: checkers, notes };
  const known =
    "Supported are tsc (a tsconfig.json), eslint, biome, oxlint, ruff, mypy, pyright and golangci-lint (where they are configured " +
    "and installed), go vet, gcc or clang (a compile_commands.json), and javac through Maven or Gradle.";
  return failedTool(notes.length > 0 ? notes.join("\n") : `No type or style checker was found at ${path}.\n${known}`);
}

async function runChecker(
  services: TestServices,
  checker: Checker,
  path: string,
  { stored, signal, timeoutMs, place }: OpenRun,
): Promise<string> {
  const { folder, why } = checker;
  const limits = { signal, timeoutMs, output: (text: string) => stored.log.append(text) };
  const asked = path !== folder && path.startsWith(folder) ? path : undefined;
  const { exit: ended, parts } = await runAll(services, checker.commands(asked), limits);
  if (ended.endedBy === "cancel") throw cancelled(name);
  const told = ended.startError === undefined ? readParts(checker.name, parts) : undefined;
  const isWell = told?.exitCode === 0 && ended.endedBy === undefined;
  const exit: RunExit = isWell ? { ...ended, code: 0, signal: null } : ended;
  const report = told?.report && withDoubt(withLeftOut(told.report, checker.leftOut?.(asked)), checker, path);
  const raw = parts.map(({ output, errors }) => `${output}\n${errors}`).join("\n");
  const where = place === undefined ? {} : { place };
  const facts = { name: checker.name, exit, handle: stored.handle, folder, ...where, timeoutMs, raw };
  const { text, details } = formatCheckRun(report, facts);
  stored.details = details;
  return report === undefined ? `${text}\nnote: ${why}` : text;
}

/**
 * Runs all commands one after the other, even if one fails, with a common time and output limit. Returns the exit of the first command that
 * failed or was ended.
 */
async function runAll(
  services: TestServices,
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
    const { durationMs, ...end } = await services.run(command, {
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

const languages = [
  { files: /\.[cm]?[jt]sx?$/, names: ["tsc", "eslint", "biome", "oxlint"] },
  { files: /\.pyi?$/, names: ["ruff", "mypy", "pyright"] },
  { files: /\.go$/, names: ["go vet", "golangci-lint"] },
  { files: /\.(?:[ch]|cc|hh|[ch]pp|[ch]xx)$/i, names: ["gcc", "clang"] },
  { files: /\.(?:java|kts?)$/, names: ["javac"] },
] as const;

/** Whether the checker handles files of this language. All checkers accept folders. */
function reads(name: Checker["name"], path: string): boolean {
  const language = languages.find(({ files }) => files.test(path));
  return language === undefined || language.names.some((one) => one === name);
}

function withLeftOut(report: CheckReport, leftOut: string | undefined): CheckReport {
  return leftOut === undefined ? report : { ...report, notices: [leftOut, ...report.notices] };
}

/**
 * Adds a notice if tsc reports nothing about a file. The file may be unchecked, since tsc checks only projects and skips JavaScript without
 * checkJs.
 */
function withDoubt(report: CheckReport, { name, folder }: Checker, path: string): CheckReport {
  if (name !== "tsc" || !languages.some(({ files }) => files.test(path))) return report;
  const fromFolder = (file: string): string => relative(file, folder).replaceAll("\\", "/");
  const wanted = fromFolder(path);
  if (report.findings.some(({ file }) => file !== undefined && fromFolder(file) === wanted)) return report;
  const doubt = `tsc checks what tsconfig.json includes, which may leave out ${wanted}`;
  return { ...report, notices: [doubt, ...report.notices] };
}
