import { asObject, type Members, objectsOf, parsedObject, parsedValue, textOf } from "../../base/rpc/json.js";

/** A finding of a compiler or linter. */
export interface Finding {
  /** Path of the file, absolute or relative to the run's folder; undefined if the finding has no location. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly level: "error" | "warning";
  /** Rule or error code, for example `TS2322` or `no-unused-vars`. */
  readonly code?: string;
  /** Message of the finding; may contain line breaks. */
  readonly message: string;
}

/** Parsed result of a compiler or linter. */
export interface CheckReport {
  readonly findings: readonly Finding[];
  /** Other output lines that contain information. */
  readonly notices: readonly string[];
  /** Whether the findings stopped the tool before it had checked everything. */
  readonly isStopped?: boolean;
}

const typescriptLine = /^(?:(.+?)\((\d+),(\d+)\): )?(error|warning) (TS\d+): (.*)$/;

/** Parses the output of `tsc --noEmit --pretty false`; tsc has no machine-readable format. */
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

/** Parses the output of `eslint --format json`; undefined for other texts. */
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

/** Parses the JSON of `ruff check --output-format json`, and ruff's warnings on stderr. Returns undefined for other output. */
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

/**
 * Parses the output of `mypy --output json`, which has one JSON object per line. With exit code 2, other lines explain why mypy couldn't
 * check.
 */
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
    // A note belongs to the preceding finding if it is in the same file.
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

/** Parses the joined output of `go build` and `go vet`, which print a line per package, followed by locations and messages. */
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

/** Removes findings that repeat the end of an earlier message at the same location. */
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

/** Returns the line and the column, each only if it is a number of at least 1. */
export function placeOf(line: unknown, column: unknown): Pick<Finding, "line" | "column"> {
  return {
    ...(typeof line === "number" && line > 0 && { line }),
    ...(typeof column === "number" && column > 0 && { column }),
  };
}

function arrayOf(text: string): readonly Members[] | undefined {
  const value = parsedValue(text);
  return Array.isArray(value) ? objectsOf(value) : undefined;
}
