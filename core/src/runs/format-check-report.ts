import { BoundedLines, cutLine } from "./bounded-lines.js";
import type { CheckReport, Finding } from "./check-report.js";
import { relative } from "./fault-lines.js";
import { endOf, type FormattedRun, type TestRunFacts } from "./format-test-report.js";
import { rawLines } from "./raw-lines.js";
import type { RunExit } from "./run.js";

const maxGroups = 60;
const shortLines = [5, 1] as const;

/**
 * The report of a compiler or linter for a language model: the verdict by exit code and findings together, then each finding
 * below its file, those of one file that say the same in one line. Only what is shortened has a number, that of its detail.
 * Without a report, begin and end of what the tool wrote.
 */
export function formatCheckRun(report: CheckReport | undefined, facts: TestRunFacts): FormattedRun {
  const groups = groupsOf(report?.findings ?? [], facts.folder);
  const needsRaw = report === undefined || (!isGreen(facts.exit) && groups.length === 0);
  const hasOneFile = new Set(groups.map(({ file }) => file)).size === 1 && groups[0]?.file !== "";
  const lines: string[] = [];
  const said = new Set<string>();
  let file: string | undefined;
  groups.slice(0, maxGroups).forEach((group, index) => {
    if (group.file !== file && !hasOneFile) lines.push(group.file === "" ? "without a place" : group.file);
    file = group.file;
    const [first = "", ...more] = linesOf(group, shortLines, index + 1);
    // Tools say the same advice with each finding.
    lines.push(first, ...more.filter((line) => !said.has(line)));
    for (const line of more) said.add(line);
  });
  const rest = groups.slice(maxGroups);
  const left = rest.reduce((sum, { findings }) => sum + findings.length, 0);
  const text = [
    verdictOf(report, facts, hasOneFile ? groups[0]?.file : undefined),
    ...lines,
    ...(left > 0 ? [`… ${left} findings left out (detail ${facts.handle}, from ${maxGroups + 1} on)`] : []),
    ...(needsRaw ? rawLines(facts.raw, 15) : new BoundedLines(5, 0).pushAll(report.notices.map(noticeOf)).toLines()),
  ].join("\n");
  const details = groups.map((group) => (): string => [group.file, ...linesOf(group, [400, 400])].join("\n").trim());
  return { text, details };
}

function noticeOf(notice: string): string {
  return `note: ${notice.trim()}`;
}

function isGreen(exit: RunExit): boolean {
  return exit.code === 0 && exit.endedBy === undefined && exit.startError === undefined;
}

/** `file` is the one that has all findings. */
function verdictOf(report: CheckReport | undefined, facts: TestRunFacts, file: string | undefined): string {
  const { name, exit, handle, timeoutMs } = facts;
  const ended = endOf(exit, timeoutMs);
  if (report === undefined) return `${name}: ${ended ?? "exit 0"}, without a report [${handle}]`;
  const { findings } = report;
  const count = (level: Finding["level"]): string => {
    const many = findings.filter((finding) => finding.level === level).length;
    return many === 0 ? "" : `${many} ${level}${many === 1 ? "" : "s"}`;
  };
  if (findings.length === 0) {
    return ended === undefined ? `${name}: no findings` : `${name}: ${ended}, but it lists no finding [${handle}]`;
  }
  const files = new Set(findings.map(({ file }) => file)).size;
  const counts = [count("error"), count("warning")].filter((part) => part !== "").join(", ");
  const places = file ?? (files === 1 ? "1 file" : `${files} files`);
  return `${name}: ${counts} in ${places}, ${ended ?? "exit 0"} [${handle}]`;
}

interface Group {
  readonly file: string;
  readonly findings: readonly [Finding, ...Finding[]];
}

/** By file in the order in which they came, errors first within each. */
function groupsOf(findings: readonly Finding[], folder: string): readonly Group[] {
  const files = new Map<string, Map<string, [Finding, ...Finding[]]>>();
  const sorted = [...findings].sort((a, b) => Number(a.level === "warning") - Number(b.level === "warning"));
  for (const { file = "" } of findings) files.set(relative(file, folder), new Map());
  for (const finding of sorted) {
    const groups = files.get(relative(finding.file ?? "", folder));
    const key = JSON.stringify([finding.level, finding.code, finding.message]);
    const group = groups?.get(key);
    if (group) group.push(finding);
    else groups?.set(key, [finding]);
  }
  return [...files].flatMap(([file, groups]) => [...groups.values()].map((found) => ({ file, findings: found })));
}

/** `number` is that of its detail, where that says more. */
function linesOf({ findings }: Group, limits: readonly [number, number], number = 0): string[] {
  const [{ code, level, message }] = findings;
  const places = findings.map(({ line, column }) => [line, column].filter((part) => part !== undefined).join(":"));
  const said = new BoundedLines(...limits).pushAll(message.split(/\r?\n/).filter((line) => line.trim() !== ""));
  const [first = "", ...rest] = said.toLines();
  const shown = [
    ...(said.omitted > 0 && number > 0 ? [`${number})`] : []),
    cutLine(places.filter((place) => place !== "").join(", "), 2_000),
    level === "warning" ? "warning" : "",
    code ?? "",
    first,
  ];
  return [shown.filter((part) => part !== "").join(" "), ...rest.map((line) => ` ${line.trim()}`)];
}
