import { BoundedLines, cutLine } from "./bounded-lines.js";
import type { CheckReport, Finding } from "./check-report.js";
import { relative } from "./fault-lines.js";
import { endOf, type FormattedRun, placed, type TestRunFacts } from "./format-test-report.js";
import { shortenedOutput } from "./shortened-output.js";
import type { RunExit } from "../../base/runs/run.js";

const maxGroups = 60;
const shortLines = [5, 1] as const;

/**
 * Formats a compiler or linter run for a model: the verdict from exit code and findings, then the findings by file, combining equal
 * messages. Only shortened findings have a number, for requesting their detail; without a report, shows the start and end of the output.
 */
export function formatCheckRun(report: CheckReport | undefined, facts: TestRunFacts): FormattedRun {
  const groups = groupsOf(report?.findings ?? [], facts.folder);
  const needsRaw = report === undefined || (!isGreen(facts.exit) && !saysWhy(report, facts.raw));
  const hasOneFile = new Set(groups.map(({ file }) => file)).size === 1;
  // Without findings, the tool's output is the only explanation of a failure.
  const isTold = groups.length > 0 || isGreen(facts.exit);
  const lines: string[] = [];
  const said = new Set<string>();
  let file: string | undefined;
  groups.slice(0, maxGroups).forEach((group, index) => {
    if (group.file !== file && !hasOneFile) lines.push(group.file === "" ? "without a place" : group.file);
    file = group.file;
    const [first = "", ...more] = linesOf(group, shortLines, index + 1);
    // Tools repeat the same advice for each finding.
    const [, begin = first, advice] = /^(.+?[.?]) (\S.{30,})$/.exec(first) ?? [];
    lines.push(advice !== undefined && said.has(advice) ? begin : first, ...more.filter((line) => !said.has(line)));
    for (const line of [...more, advice ?? ""]) said.add(line);
  });
  const rest = groups.slice(maxGroups);
  const left = rest.reduce((sum, { findings }) => sum + findings.length, 0);
  const text = [
    verdictOf(report, facts, hasOneFile ? groups[0]?.file : undefined),
    ...lines,
    ...(left > 0 ? [`… ${left} findings left out (detail ${facts.handle}, from ${maxGroups + 1} on)`] : []),
    ...(needsRaw
      ? shortenedOutput(facts.raw, 15)
      : new BoundedLines(5, 0).pushAll(isTold ? report.notices.map(noticeOf) : report.notices).toLines()),
  ].join("\n");
  const details = groups.map((group) => (): string => [group.file, ...linesOf(group, [400, 400])].join("\n").trim());
  return { text, details };
}

function noticeOf(notice: string): string {
  return `note: ${notice.trim()}`;
}

/** Whether the report explains why the tool failed. A JSON report contains all messages, so warnings are a sufficient explanation. */
function saysWhy({ findings, notices }: CheckReport, raw: string): boolean {
  const isJson = /^\s*(?:\{|\[\s*[\]{])/.test(raw);
  return notices.length > 0 || findings.some(({ level }) => level === "error" || isJson);
}

function isGreen(exit: RunExit): boolean {
  return exit.code === 0 && exit.endedBy === undefined && exit.startError === undefined;
}

/** Returns the line with the run's result. `file` is the only file with findings, if there is just one. */
function verdictOf(report: CheckReport | undefined, facts: TestRunFacts, file: string | undefined): string {
  const { exit, handle, timeoutMs } = facts;
  const name = placed(facts.name, facts);
  const ended = endOf(exit, timeoutMs);
  if (report === undefined) return `${name}: ${ended ?? "exit 0, without a report"} [${handle}]`;
  const { findings, notices } = report;
  const count = (level: Finding["level"]): string => {
    const many = findings.filter((finding) => finding.level === level).length;
    return many === 0 ? "" : `${many} ${level}${many === 1 ? "" : "s"}`;
  };
  if (findings.length === 0) {
    if (ended === undefined) return `${name}: no findings`;
    // Don't mention missing findings if notices follow the verdict.
    return `${name}: ${ended}${notices.length > 0 ? "" : ", but no findings are listed"} [${handle}]`;
  }
  const counts = [count("error"), count("warning")].filter((part) => part !== "").join(", ");
  const places = file === undefined || file === "" ? "" : `${facts.place === undefined ? " in" : ", all in"} ${file}`;
  // If there are errors, exit codes 1 and 2 add no information.
  const isUsual = exit.endedBy === undefined && (exit.code === 1 || exit.code === 2) && /error/.test(counts);
  const stopped = report.isStopped === true ? ", which prevented further checking" : "";
  return `${name}: ${counts}${places}${stopped}${isUsual ? "" : `, ${ended ?? "exit 0"}`} [${handle}]`;
}

interface FindingGroup {
  readonly file: string;
  readonly findings: readonly [Finding, ...Finding[]];
  /**
   * The differing names, with the location of each, if several findings differ only in a name. The message then contains {@link anyName}
   * instead of the name.
   */
  readonly names?: readonly string[];
}

/** A line that contains only a link to documentation. */
const link = /^\s*See https?:\/\/\S+(?: for more info\w*)?\.?$/;
const anyName = "…";
const quoted = /'[^']*'|"[^"]*"|`[^`]*`|‘[^‘’]*’/;
/** Minimum number of findings to combine if their messages differ only in a name. */
const minNamed = 3;

/** Groups findings by file in order of appearance, errors first. */
function groupsOf(findings: readonly Finding[], folder: string): readonly FindingGroup[] {
  const files = new Map<string, Finding[]>();
  const sorted = [...findings].sort((a, b) => Number(a.level === "warning") - Number(b.level === "warning"));
  for (const { file = "" } of findings) files.set(relative(file, folder), []);
  for (const finding of sorted) files.get(relative(finding.file ?? "", folder))?.push(finding);
  return [...files].flatMap(([file, found]) => groupsIn(found).map((group) => ({ file, ...group })));
}

/** Combines a file's findings with equal messages, or with messages that differ only in a name. */
function groupsIn(findings: readonly Finding[]): readonly Omit<FindingGroup, "file">[] {
  const byForm = grouped(findings, ({ message }) =>
    message.includes("\n") ? message : message.replace(quoted, anyName),
  );
  const forms = new Map(byForm.map((form) => [form, new Set(form.map(({ message }) => message)).size >= minNamed]));
  const formOf = new Map([...forms.keys()].flatMap((form) => form.map((finding) => [finding, form])));
  const done = new Set<readonly Finding[]>();
  return grouped(findings, ({ message }) => message).flatMap((same): Omit<FindingGroup, "file">[] => {
    const form = formOf.get(same[0]) ?? same;
    if (forms.get(form) !== true) return [{ findings: same }];
    if (done.has(form)) return [];
    done.add(form);
    return [{ findings: form, names: form.map(({ message }) => quoted.exec(message)?.[0] ?? "") }];
  });
}

type Findings = readonly [Finding, ...Finding[]];

function grouped(findings: readonly Finding[], formOf: (finding: Finding) => string): readonly Findings[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.level, finding.code, formOf(finding)]);
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups.values()];
}

/** Formats a group of findings. `number` is the number for requesting the detail, if the detail contains more. */
function linesOf({ findings, names }: FindingGroup, limits: readonly [number, number], number = 0): string[] {
  const [{ code, level, message }] = findings;
  const places = findings.map(({ line, column }, index) => {
    const place = [line, column].filter((part) => part !== undefined).join(":");
    return names === undefined ? place : `${place} ${names[index]?.slice(1, -1)}`;
  });
  const text = names === undefined ? message : message.replace(quoted, anyName);
  const written = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  // Omits documentation links, which are the same for all findings of a rule.
  const lines = number > 0 ? written.filter((line, index) => index === 0 || !link.test(line)) : written;
  const said = new BoundedLines(...limits).pushAll(lines);
  const [first = "", ...rest] = said.toLines();
  const shown = [
    ...((said.omitted > 0 || lines.length < written.length) && number > 0 ? [`${number})`] : []),
    cutLine([...new Set(places.filter((place) => place !== ""))].join(", "), 2_000),
    level === "warning" ? "warning" : "",
    [names === undefined ? "" : "→", code ?? "", first].filter((part) => part !== "").join(" "),
  ];
  return [shown.filter((part) => part !== "").join(" "), ...rest.map((line) => ` ${line.trim()}`)];
}
