import { matchesPieces } from "../../base/star-pattern.js";
import type { ServerLaunch } from "../../settings/user-server.js";

/** Parsed variable `${…}` of a text. */
export type Variable =
  /** `${env:NAME}`, `${env:NAME:-default}`, or `${NAME}` from other products. */
  | { readonly kind: "env"; readonly name: string; readonly fallback?: string }
  /** `${secret:NAME}`, `${input:ID}`. */
  | { readonly kind: "secret" | "input"; readonly name: string }
  /** `${workspaceFolder}` and other variables for locations. */
  | { readonly kind: "place"; readonly name: PlaceVariable }
  /** Unknown variable, always treated as missing. */
  | { readonly kind: "unknown" };

export type PlaceVariable = "workspaceFolder" | "workspaceFolderBasename" | "userHome" | "pathSeparator";

/** Returns a variable's value, or undefined if it has none. The caller applies fallbacks. */
export type Lookup = (variable: Variable) => string | undefined;

const places: ReadonlySet<string> = new Set<PlaceVariable>([
  "workspaceFolder",
  "workspaceFolderBasename",
  "userHome",
  "pathSeparator",
]);

/**
 * Matches `${…}`. `$$` before a brace escapes the `$`, so `$${NAME}` is text. Accepts one level of paired braces, so that a variable with
 * braces is rejected as a whole.
 */
// Matches a run of `$` only from its start, since untrusted files may contain millions.
const reference = /(?<!\$)(\$+)\{((?:[^{}]|\{[^{}]*\})*)\}/g;
const named = /^(?:(env|secret|input):)?([^:\s{}]+)(?::-([^{}]*))?$/;
const environmentName = /^[A-Za-z_]\w*$/;

function readVariable(content: string): Variable {
  if (isPlace(content)) return { kind: "place", name: content };
  const [, kind = "env", name = "", fallback] = named.exec(content) ?? [];
  if (kind === "env") {
    if (!content.startsWith("env:") && !environmentName.test(name)) return { kind: "unknown" };
    return name === "" ? { kind: "unknown" } : { kind, name, ...(fallback !== undefined && { fallback }) };
  }
  return fallback === undefined ? { kind: kind === "secret" ? kind : "input", name } : { kind: "unknown" };
}

function isPlace(text: string): text is PlaceVariable {
  return places.has(text);
}

/** A text with its variables expanded, or the missing variables as written. */
type Expanded<T> = { readonly value: T } | { readonly missing: readonly string[] };

/** Expands the variables of `text` in one pass, without expanding inserted values. `$${NAME}` becomes the text `${NAME}`. */
export function expandText(text: string, lookup: Lookup): Expanded<string> {
  const missing = new Set<string>();
  const value = text.replace(reference, (_whole, marks: string, content: string) => {
    const before = "$".repeat(Math.floor(marks.length / 2));
    if (marks.length % 2 === 0) return `${before}{${content}}`;
    return before + valueOf(content);
  });
  return missing.size === 0 ? { value } : { missing: [...missing] };

  function valueOf(content: string): string {
    const variable = readVariable(content);
    const found = variable.kind === "unknown" ? undefined : lookup(variable);
    // As in a shell, `:-` also replaces an empty value.
    if (variable.kind === "env" && variable.fallback !== undefined && (found ?? "") === "") return variable.fallback;
    if (found !== undefined) return found;
    missing.add(spelling(variable, content));
    return "";
  }
}

/** Expands all texts of a launch, but not the names of environment variables and headers. */
export function expandLaunch(launch: ServerLaunch, lookup: Lookup): Expanded<ServerLaunch> {
  const missing = new Set<string>();
  const value = mapTexts(launch, (text) => {
    const expanded = expandText(text, lookup);
    if ("value" in expanded) return expanded.value;
    for (const name of expanded.missing) missing.add(name);
    return "";
  });
  return missing.size === 0 ? { value } : { missing: [...missing] };
}

/** Returns a launch's distinct variables in order. They have no values, so they can be shown. */
export function variablesOf(launch: ServerLaunch): readonly Variable[] {
  const found = new Map<string, Variable>();
  mapTexts(launch, (text) => {
    for (const [, marks = "", content = ""] of text.matchAll(reference)) {
      if (marks.length % 2 === 1) found.set(content, readVariable(content));
    }
    return text;
  });
  return [...found.values()];
}

export function variableNames(launch: ServerLaunch): readonly string[] {
  const expanded = expandLaunch(launch, () => undefined);
  const withFallback = variablesOf(launch).flatMap((one) =>
    one.kind === "env" && one.fallback !== undefined ? [one] : [],
  );
  const names = "missing" in expanded ? expanded.missing : [];
  return [...new Set([...names, ...withFallback.map((one) => spelling(one, ""))])];
}

/** Whether `value` can result from expanding `text` with any values. */
export function couldBe(text: string, value: string): boolean {
  const mark = "\0";
  const expanded = expandText(text, () => mark);
  return "value" in expanded && matchesPieces(expanded.value.split(mark), value);
}

/** Escapes `text` so that {@link expandText} returns it unchanged. */
export function escapeVariables(text: string): string {
  return text.replace(reference, (whole, marks: string) => marks + whole);
}

function spelling(variable: Variable, content: string): string {
  switch (variable.kind) {
    case "env":
    case "secret":
    case "input":
      return `\${${variable.kind}:${variable.name}}`;
    case "place":
      return `\${${variable.name}}`;
    case "unknown":
      return `\${${content}}`;
  }
}

function mapTexts(launch: ServerLaunch, map: (text: string) => string): ServerLaunch {
  const mapValues = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, map(text)]));
  if (launch.type !== "stdio") return { ...launch, url: map(launch.url), headers: mapValues(launch.headers) };
  const { cwd, envFile } = launch;
  return {
    ...launch,
    command: map(launch.command),
    args: launch.args.map(map),
    env: mapValues(launch.env),
    ...(cwd !== undefined && { cwd: map(cwd) }),
    ...(envFile !== undefined && { envFile: map(envFile) }),
  };
}
