import { omission } from "../runs/bounded-lines.js";
import type { CargoTranscript } from "./cargo-transcript.js";
import { formatDiagnostics, shortLength } from "./format-diagnostics.js";
import { formatTests, testCounts } from "./format-tests.js";
import type { RunExit } from "../../base/runs/run.js";

interface ReportFacts {
  /** Command line without the options that make the output machine-readable. */
  readonly command: string;
  readonly exit: RunExit;
  readonly handle: string;
  readonly cwd: string;
  /** Workspace root, the base of relative paths. */
  readonly root: string | undefined;
  readonly timeoutMs: number;
}

/** Maximum characters of a report. The handle gives access to the rest. */
const maxReportLength = 40_000;

/**
 * Formats the result of a run: a line with command, exit code, time, counts and handle, then output, failures and warnings. Never longer
 * than cargo's own output, unless that was empty. Details are limited to the length of `--message-format short`.
 */
export function formatReport(transcript: CargoTranscript, facts: ReportFacts): string {
  const groups = transcript.diagnostics.groups();
  const tests = formatTests(transcript.tests.suites);
  const status = statusLine(transcript, facts);
  const consequences = consequenceLines(transcript);
  const ownLength = [status, ...consequences].join("\n").length + leftOutReserve;
  const shortForm = shortLength(groups) + shortSummaryLength(transcript);
  // A successful run needs no action, so details get a tenth of the length of cargo's output.
  const budget = facts.exit.code === 0 ? Math.min(shortForm, transcript.logLength / 10 - leftOutReserve) : shortForm;
  const diagnostics = formatDiagnostics(groups, budget - ownLength);
  const lines = [
    status,
    ...(facts.root === facts.cwd || facts.root === undefined ? [] : [`paths from ${facts.root}`]),
    ...noticeLines(transcript, "error"),
    ...diagnostics.lines,
    ...noticeLines(transcript, "warning"),
    ...noticeLines(transcript, "note"),
    ...outputLines(transcript),
    ...tests.lines,
    ...formatLines(transcript, facts.root),
    ...consequences,
  ];
  const report = cut(lines, leftOutLine(transcript, diagnostics.leftOut, tests.leftOut), facts.handle);
  return shorterOutput(transcript, facts.exit, report.length) ?? report;
}

/** Returns cargo's complete output if it is shorter than the report and shows the result. */
function shorterOutput(transcript: CargoTranscript, exit: RunExit, length: number): string | undefined {
  const { shortLog, notices, diagnostics } = transcript;
  const output = shortLog?.trimEnd() ?? "";
  const isTold = exit.code === 0 || notices.errors.length > 0 || diagnostics.count("error") > 0;
  return output !== "" && output.length < length && isTold && exit.endedBy === undefined ? output : undefined;
}

/** Maximum length of each half of the line about omitted details. */
const leftOutReserve = 26;

/** Length of cargo's `could not compile …` lines. */
function shortSummaryLength({ notices }: CargoTranscript): number {
  return notices.notCompiled.reduce(
    (sum, unit) => sum + unit.length + "error: could not compile `` due to 1 previous error".length,
    0,
  );
}

function statusLine(transcript: CargoTranscript, { command, exit, handle, timeoutMs }: ReportFacts): string {
  const { diagnostics, tests, notices, units } = transcript;
  const errors = diagnostics.count("error");
  const warnings = diagnostics.count("warning");
  const folded = diagnostics.distinct().reduce((sum, { count }) => sum + count - 1, 0);
  const facts = [exitText(exit, timeoutMs), `${(exit.durationMs / 1000).toFixed(1)} s`];
  if (units > 1 && errors === 0) facts.push(`${units} crates`);
  if (errors > 0) facts.push(plural(errors, "error"));
  if (warnings > 0) facts.push(plural(warnings, "warning"));
  if (folded > 0) facts.push(`${plural(folded, "repeat")} folded`);
  if (errors === 0 && notices.errors.length > 0) facts.push("cargo failed");
  if (tests.suites.length > 0) facts.push(testCounts(tests.suites));
  const early = tests.suites.filter(({ end }) => end !== undefined).length;
  if (early > 0) facts.push(`${plural(early, "suite")} ended early`);
  if (tests.suites.length > 1) facts.push(`${tests.suites.length} suites`);
  if (transcript.format.files.length > 0) facts.push(`${plural(transcript.format.files.length, "file")} unformatted`);
  return `${command}: ${facts.join(", ")} [${handle}]`;
}

function exitText(exit: RunExit, timeoutMs: number): string {
  if (exit.endedBy === "timeout")
    return `TIMED OUT after ${timeoutMs / 1000} s and was stopped with everything it started`;
  if (exit.endedBy === "output-limit") return "STOPPED because it wrote too much output";
  if (exit.endedBy === "cancel") return "CANCELLED";
  return exit.code === null ? `killed by ${exit.signal ?? "a signal"}` : `exit ${exit.code}`;
}

function noticeLines({ notices }: CargoTranscript, level: string): string[] {
  return notices.notices.filter((notice) => notice.level === level).flatMap(({ lines }) => lines);
}

function outputLines({ output, diagnostics, notices }: CargoTranscript): string[] {
  if (output.length === 0) return [];
  return [...(diagnostics.size + notices.notices.length > 0 ? ["output:"] : []), ...output.toLines()];
}

/** Lists units that failed because of the errors above. Omitted for a single unit, which the status line covers. */
function consequenceLines({ notices, units }: CargoTranscript): string[] {
  const { notCompiled } = notices;
  const isPlain = units <= 1 && notCompiled.length === 1 && !(notCompiled[0] ?? "").includes(": ");
  return notCompiled.length === 0 || isPlain ? [] : [`not compiled: ${notCompiled.join(", ")}`];
}

const maxFormatPlaces = 20;

function formatLines({ format }: CargoTranscript, root: string | undefined): string[] {
  return format.files.map(({ file, lines }) => {
    const shown = lines.slice(0, maxFormatPlaces).join(", ");
    const rest = lines.length > maxFormatPlaces ? ` and ${lines.length - maxFormatPlaces} more` : "";
    const path = root !== undefined && file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
    return `${path}: line ${shown}${rest}`;
  });
}

/** Counts the omitted lines and names the tool that shows them. */
function leftOutLine({ output }: CargoTranscript, details: number, testLines: number): string[] {
  const lines = testLines + output.omitted;
  const parts = [
    details > 0 ? `+${plural(details, "note")} (cargo_detail)` : "",
    lines > 0 ? `+${plural(lines, "line")} (cargo_output)` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [parts.join(", ")];
}

/** Cuts after a complete line and reports the number of omitted lines. */
function cut(lines: readonly string[], ending: readonly string[], handle: string): string {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length + 1) > maxReportLength);
  if (end === -1) return [...lines, ...ending].join("\n");
  return [...lines.slice(0, end), `${omission(lines.length - end)} (cargo_output ${handle})`, ...ending].join("\n");
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
