import { asObject, type Members, objectsOf, parsedObject, textOf } from "../../base/rpc/json.js";

/** One thing that a compiler or linter found. */
export interface Finding {
  /** Absolute, or from the folder of the run; absent for what has no place. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  readonly level: "error" | "warning";
  /** The rule, such as `TS2322` or `no-unused-vars`. */
  readonly code?: string;
  /** May have several lines. */
  readonly message: string;
}

/** What a compiler or linter told of a run. */
export interface CheckReport {
  readonly findings: readonly Finding[];
  /** Lines of it that are no findings, and say something. */
  readonly notices: readonly string[];
  /** What it found kept it from checking the rest. */
  readonly isStopped?: boolean;
}

const typescriptLine = /^(?:(.+?)\((\d+),(\d+)\): )?(error|warning) (TS\d+): (.*)$/;

/** What `tsc --noEmit --pretty false` writes, which has no form for machines. */
export function readTypescript(text: string): CheckReport {
  const findings: Finding[] = [];
  const notices: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, file, row, column, level, code, message = ""] = typescriptLine.exec(line) ?? [];
    if (code !== undefined) {
      findings.push({
        ...(file !== undefined && { file, line: Number(row), column: Number(column) }),
        level: level === "warning" ? "warning" : "error",
        code,
        message,
      });
    } else if (/^\s+\S/.test(line) && findings.length > 0) addLine(findings, line);
    else if (line.trim() !== "") notices.push(line);
  }
  return { findings, notices };
}

/** What `eslint --format json` writes; undefined where it wrote something else. */
export function readEslint(text: string): CheckReport | undefined {
  const files = arrayOf(text);
  if (files === undefined) return undefined;
  const findings = files.flatMap((file) =>
    objectsOf(file["messages"]).map((found): Finding => {
      const { ruleId, severity, message } = found;
      return {
        file: textOf(file["filePath"]),
        ...placeOf(found["line"], found["column"]),
        level: severity === 1 ? "warning" : "error",
        ...(typeof ruleId === "string" && { code: ruleId }),
        message: textOf(message),
      };
    }),
  );
  return { findings, notices: [] };
}

/** What `ruff check --output-format json` writes, and warns of on stderr; undefined where it wrote something else. */
export function readRuff(text: string, errors: string): CheckReport | undefined {
  const found = arrayOf(text);
  if (found === undefined) return undefined;
  const findings = found.map((one): Finding => {
    const { row, column } = asObject(one["location"]) ?? {};
    const { code, message, filename } = one;
    const at = placeOf(row, column);
    return {
      ...{ file: textOf(filename), ...at, level: "error", message: textOf(message) },
      ...(typeof code === "string" && { code }),
    };
  });
  const notices = errors.split(/\r?\n/).filter((line) => line.startsWith("warning: "));
  return { findings, notices: notices.map((line) => line.slice("warning: ".length)) };
}

/** What `mypy --output json` writes: one object on each line, and text where it could not check, which its exit code 2 means. */
export function readMypy(text: string, exitCode: number | null = null): CheckReport {
  const findings: Finding[] = [];
  const notices: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const one = line.startsWith("{") ? parsedObject(line) : undefined;
    if (!one) {
      if (line.trim() !== "") notices.push(line);
      continue;
    }
    const { file, code, message, hint, severity } = one;
    const said = [textOf(message), textOf(hint)].filter((part) => part !== "").join("\n");
    // A note says more of the finding before it, where there is one of the same file.
    if (severity === "note" && findings.at(-1)?.file === file) addLine(findings, said);
    else {
      findings.push({
        ...{ file: textOf(file), ...placeOf(one["line"], Number(one["column"]) + 1), message: said },
        level: severity === "error" ? "error" : "warning",
        ...(typeof code === "string" && { code }),
      });
    }
  }
  return { findings, notices, ...(exitCode === 2 && { isStopped: true }) };
}

/** What `go build` and `go vet` write, one after the other: places and messages below a line for each package. */
export function readGoVet(text: string): CheckReport {
  const findings: Finding[] = [];
  const notices: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, file, row, column, message = ""] = /^(?:vet: )?(\S.*?\.go):(\d+)(?::(\d+))?: (.*)$/.exec(line) ?? [];
    if (file !== undefined) {
      const at = placeOf(Number(row), column === undefined ? undefined : Number(column));
      const said = message.replace(/ \(and \d+ more errors\)$/, "");
      findings.push({ file: file.replace(/^\.\//, ""), ...at, level: "error", message: said });
    } else if (/^package \S+$/.test(line)) findings.push({ level: "error", message: line });
    else if (/^\s+\S/.test(line) && findings.length > 0) addLine(findings, line);
    else if (line.trim() !== "" && !line.startsWith("# ")) notices.push(line);
  }
  return { findings: once(findings), notices: [...new Set(notices)] };
}

/** Without what was said at the same place before, in as many words or more. */
export function once(findings: readonly Finding[]): readonly Finding[] {
  const said = new Map<string, string[]>();
  return findings.filter(({ file, line, column, message }) => {
    const place = JSON.stringify([file, line, column]);
    const before = said.get(place) ?? [];
    said.set(place, before);
    if (before.some((other) => other.endsWith(message))) return false;
    before.push(message);
    return true;
  });
}

function addLine(findings: Finding[], line: string): void {
  const last = findings.pop();
  if (last) findings.push({ ...last, message: `${last.message}\n${line}` });
}

/** Numbers from 1; what is none is left out. */
export function placeOf(line: unknown, column: unknown): Pick<Finding, "line" | "column"> {
  return {
    ...(typeof line === "number" && line > 0 && { line }),
    ...(typeof column === "number" && column > 0 && { column }),
  };
}

function arrayOf(text: string): readonly Members[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? objectsOf(value) : undefined;
  } catch {
    return undefined;
  }
}
