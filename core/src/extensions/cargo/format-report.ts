import { omission } from "../runs/bounded-lines.js";
import type { CargoTranscript } from "./cargo-transcript.js";
import { formatDiagnostics, shortLength } from "./format-diagnostics.js";
import { formatTests, testCounts } from "./format-tests.js";
import type { RunExit } from "../../base/runs/run.js";

/** What a report is about besides the output. */
interface ReportFacts {
  /** The command line, without the options that only make it readable for us. */
  readonly command: string;
  readonly exit: RunExit;
  readonly handle: string;
  /** Where cargo ran. */
  readonly cwd: string;
  /** The workspace's root, where relative paths start from. */
  readonly root: string | undefined;
  readonly timeoutMs: number;
}

/** Longer reports are cut; the rest is there by the handle. */
const maxReportLength = 40_000;

/**
 * The outcome of a run in as few words as say all of it: one line with command, exit code, time, counts and handle, then
 * what was printed, failed or warned of. Never longer than what cargo said, if that was anything. As many details are given as fit into what `--message-format short` would take.
 */
export function formatReport(transcript: CargoTranscript, facts: ReportFacts): string {
  const groups = transcript.diagnostics.groups();
  const tests = formatTests(transcript.tests.suites);
  const status = statusLine(transcript, facts);
  const consequences = consequenceLines(transcript);
  const ownLength = [status, ...consequences].join("\n").length + leftOutReserve;
  const shortForm = shortLength(groups) + shortSummaryLength(transcript);
  // Nothing has to be done about a run that passed: its details are worth a tenth of what cargo said.
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

/** All that cargo said, where that takes less than a report and has the outcome as well: it refused the command. */
function shorterOutput(transcript: CargoTranscript, exit: RunExit, length: number): string | undefined {
  const { shortLog, notices, diagnostics } = transcript;
  const output = shortLog?.trimEnd() ?? "";
  const isTold = exit.code === 0 || notices.errors.length > 0 || diagnostics.count("error") > 0;
  return output !== "" && output.length < length && isTold && exit.endedBy === undefined ? output : undefined;
}

/** What either half of the line about what is left out may take. */
const leftOutReserve = 26;

/** The length of `could not compile …` as cargo says it. */
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
  if (exit.endedBy === "timeout") return `TIMED OUT after ${timeoutMs / 1000} s and ended with all it started`;
  if (exit.endedBy === "output-limit") return "ENDED because it wrote too much";
  if (exit.endedBy === "cancel") return "CANCELLED";
  return exit.code === null ? `killed by ${exit.signal ?? "a signal"}` : `exit ${exit.code}`;
}

function noticeLines({ notices }: CargoTranscript, level: string): string[] {
  return notices.notices.filter((notice) => notice.level === level).flatMap(({ lines }) => lines);
}

/** What the program printed, set off from what was said of its code. */
function outputLines({ output, diagnostics, notices }: CargoTranscript): string[] {
  if (output.length === 0) return [];
  return [...(diagnostics.size + notices.notices.length > 0 ? ["output:"] : []), ...output.toLines()];
}

/** What follows from the errors above. Where one unit was compiled, the status line says it all. */
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

/** Counts what the lines above do not show, with the tool that does. */
function leftOutLine({ output }: CargoTranscript, details: number, testLines: number): string[] {
  const lines = testLines + output.omitted;
  const parts = [
    details > 0 ? `+${plural(details, "note")} (cargo_detail)` : "",
    lines > 0 ? `+${plural(lines, "line")} (cargo_output)` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [parts.join(", ")];
}

/** Cuts at a line, and says how many lines are missing. */
function cut(lines: readonly string[], ending: readonly string[], handle: string): string {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length + 1) > maxReportLength);
  if (end === -1) return [...lines, ...ending].join("\n");
  return [...lines.slice(0, end), `${omission(lines.length - end)} (cargo_output ${handle})`, ...ending].join("\n");
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
