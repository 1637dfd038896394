import { matchesPieces } from "../../base/star-pattern.js";
import type { ServerLaunch } from "../../settings/user-server.js";

/** What stands in a text as `${…}`. */
export type Variable =
  /** `${env:NAME}`, `${env:NAME:-default}`, and `${NAME}` as other products write it. */
  | { readonly kind: "env"; readonly name: string; readonly fallback?: string }
  /** `${secret:NAME}`, `${input:ID}`. */
  | { readonly kind: "secret" | "input"; readonly name: string }
  /** `${workspaceFolder}` and what else says where the session is. */
  | { readonly kind: "place"; readonly name: Place }
  /** One that nobody knows: it is missing wherever it stands. */
  | { readonly kind: "unknown" };

export type Place = "workspaceFolder" | "workspaceFolderBasename" | "userHome" | "pathSeparator";

/** The value of a variable, or undefined where there is none. A fallback is taken by those who ask. */
export type Lookup = (variable: Variable) => string | undefined;

const places: ReadonlySet<string> = new Set<Place>([
  "workspaceFolder",
  "workspaceFolderBasename",
  "userHome",
  "pathSeparator",
]);

/** Two `$` before a brace are one, so that `$${NAME}` is text. Braces in it are in pairs: the whole of what has some is refused. */
// A run of marks is tried from its begin alone: strangers' files may have a million of them.
const reference = /(?<!\$)(\$+)\{((?:[^{}]|\{[^{}]*\})*)\}/g;
const named = /^(?:(env|secret|input):)?([^:\s{}]+)(?::-([^{}]*))?$/;
const environmentName = /^[A-Za-z_]\w*$/;

/** What `${content}` stands for. */
function readVariable(content: string): Variable {
  if (isPlace(content)) return { kind: "place", name: content };
  const [, kind = "env", name = "", fallback] = named.exec(content) ?? [];
  if (kind === "env") {
    if (!content.startsWith("env:") && !environmentName.test(name)) return { kind: "unknown" };
    return name === "" ? { kind: "unknown" } : { kind, name, ...(fallback !== undefined && { fallback }) };
  }
  return fallback === undefined ? { kind: kind === "secret" ? kind : "input", name } : { kind: "unknown" };
}

function isPlace(text: string): text is Place {
  return places.has(text);
}

/** A text as it is with its values in it, or what is missing, each as it stands there. */
type Expanded<T> = { readonly value: T } | { readonly missing: readonly string[] };

/** Puts values into `text`, in one pass: what they hold is text. `$${NAME}` is the text `${NAME}`. */
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
    // As in a shell, `:-` counts for an empty value, too.
    if (variable.kind === "env" && variable.fallback !== undefined && (found ?? "") === "") return variable.fallback;
    if (found !== undefined) return found;
    missing.add(spelling(variable, content));
    return "";
  }
}

/** The same for all texts of a launch; names of variables and headers are as they are. */
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

/** The variables of a launch in the order in which they stand there, each once; without values, so they can be shown. */
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

/** The variables of a launch as they are written, for pages and questions. */
export function variableNames(launch: ServerLaunch): readonly string[] {
  const expanded = expandLaunch(launch, () => undefined);
  const withFallback = variablesOf(launch).flatMap((one) =>
    one.kind === "env" && one.fallback !== undefined ? [one] : [],
  );
  const names = "missing" in expanded ? expanded.missing : [];
  return [...new Set([...names, ...withFallback.map((one) => spelling(one, ""))])];
}

/** Whether `value` could be what a text with variables stands for, whatever their values are. */
export function couldBe(text: string, value: string): boolean {
  const mark = "\0";
  const expanded = expandText(text, () => mark);
  return "value" in expanded && matchesPieces(expanded.value.split(mark), value);
}

/** `text` written so that {@link expandText} makes it of it again, whatever it holds. */
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
