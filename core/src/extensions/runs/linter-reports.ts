import { asObject, parsedObject, objectsOf, textOf } from "../../base/rpc/json.js";
import { type CheckReport, type Finding, once, placeOf, readGoVet } from "./check-report.js";

/**
 * Parses the output of `biome check --reporter=json`; undefined for other output. Biome's rdjson reporter isn't used, since it lacks some
 * files.
 */
export function readBiome(text: string): CheckReport | undefined {
  const diagnostics = parsedObject(text)?.["diagnostics"];
  if (!Array.isArray(diagnostics)) return undefined;
  const findings = objectsOf(diagnostics).map((one): Finding => {
    const location = asObject(one["location"]);
    const { line, column } = asObject(location?.["start"]) ?? {};
    const code = textOf(one["category"]);
    // Biome 1 has an object instead of a text here.
    const file = textOf(location?.["path"]) || textOf(asObject(location?.["path"])?.["file"]);
    return {
      ...(file !== "" && { file }),
      ...placeOf(line, column),
      level: one["severity"] === "error" || one["severity"] === "fatal" ? "error" : "warning",
      ...(code !== "" && { code: code.replace(/^lint\//, "") }),
      message: textOf(one["message"]),
    };
  });
  return { findings, notices: [] };
}

/** Parses the output of `oxlint --format json`; undefined if the output has another format. */
export function readOxlint(text: string): CheckReport | undefined {
  const { object, notices } = objectIn(text);
  const diagnostics = object?.["diagnostics"];
  if (!Array.isArray(diagnostics)) return undefined;
  const findings = objectsOf(diagnostics).map((one): Finding => {
    const { filename, code, severity, message, labels } = one;
    const { line, column } = asObject(objectsOf(labels)[0]?.["span"]) ?? {};
    return {
      ...(typeof filename === "string" && { file: filename }),
      ...placeOf(line, column),
      level: severity === "error" ? "error" : "warning",
      // Names of ESLint rules are wrapped in `eslint(…)`.
      ...(typeof code === "string" && { code: code.replace(/^eslint\((.+)\)$/, "$1") }),
      message: textOf(message),
    };
  });
  return { findings, notices: orNothing(notices, object?.["number_of_files"]) };
}

/** Parses `pyright --outputjson`; undefined for other output. */
export function readPyright(text: string): CheckReport | undefined {
  const { object, notices } = objectIn(text);
  const diagnostics = object?.["generalDiagnostics"];
  if (!Array.isArray(diagnostics)) return undefined;
  const findings = objectsOf(diagnostics).map((one): Finding => {
    const { file, severity, message, rule } = one;
    const { line, character } = asObject(asObject(one["range"])?.["start"]) ?? {};
    return {
      ...(typeof file === "string" && { file }),
      ...placeOf(Number(line) + 1, Number(character) + 1),
      level: severity === "error" ? "error" : "warning",
      ...(typeof rule === "string" && { code: rule }),
      message: textOf(message),
    };
  });
  return { findings, notices: orNothing(notices, asObject(object?.["summary"])?.["filesAnalyzed"]) };
}

/**
 * Adds a notice if no file was checked, since an empty list of findings then means nothing. Skips the notice if the tool itself reported
 * something.
 */
function orNothing(notices: readonly string[], files: unknown): readonly string[] {
  return files === 0 && notices.length === 0
    ? ["No file was checked: the configuration may exclude the requested files."]
    : notices;
}

/** Parses the JSON of `golangci-lint run`, possibly followed by other text; undefined for other output. */
export function readGolangci(text: string, errors: string): CheckReport | undefined {
  const first = text.split("\n").find((line) => line.startsWith("{"));
  const told = first === undefined ? undefined : parsedObject(first);
  if (!told) return undefined;
  const findings = objectsOf(told["Issues"]).flatMap((one): readonly Finding[] => {
    const { FromLinter: linter, Text: said, Severity: severity } = one;
    const { Filename: file, Line: line, Column: column } = asObject(one["Pos"]) ?? {};
    const code = typeof linter === "string" ? { code: linter } : {};
    // A build error contains the compiler's output, but golangci-lint reports it at a file's first line.
    const built = linter === "typecheck" ? readGoVet(textOf(said).replace(/^: /, "")).findings : [];
    if (built.length > 0) return built.map((found) => ({ ...found, ...code }));
    const level = severity === "warning" ? "warning" : "error";
    return [{ file: textOf(file), ...placeOf(line, column), level, ...code, message: textOf(said).trim() }];
  });
  const warned = objectsOf(asObject(told["Report"])?.["Warnings"]).map((one) => textOf(one["Text"]));
  const failed = errors.split(/\r?\n/).filter((line) => /^level=(?:warning|error)/.test(line));
  return { findings: once(findings), notices: [...new Set([...warned, ...failed])].filter((notice) => notice !== "") };
}

/** Splits a text into its JSON object and the preceding lines, which are warnings. */
function objectIn(text: string): { object: Readonly<Record<string, unknown>> | undefined; notices: readonly string[] } {
  const begin = text.search(/^\{/m);
  if (begin === -1) return { object: undefined, notices: [] };
  const notices = text.slice(0, begin).split(/\r?\n/);
  return { object: parsedObject(text.slice(begin)), notices: notices.filter((line) => line.trim() !== "") };
}
