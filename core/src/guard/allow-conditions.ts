import type { JsonPath } from "../base/problem.js";

/** Conditions of an allow rule. Deny rules have none, since agents choose the properties of their calls and could avoid a match. */
export interface AllowConditions {
  /** Agent whose calls are allowed, named as in `"agents"`; undefined means all agents. */
  readonly agent?: string;
  /** ACP `ToolKind` of the allowed calls; undefined means all. */
  readonly kind?: string;
  /** Whether the patterns are literal: a complete command line, an absolute real path, or an origin such as `https://example.com`. */
  readonly exact?: true;
  /** Absolute real working directory of a command that must match exactly; undefined means all of the session's folders. */
  readonly cwd?: string;
}

/** Properties of a rule that contain conditions. */
export const boundKeys = ["agent", "kind", "exact", "cwd"] as const;

interface BoundRule {
  readonly effect: string;
  readonly subject: string;
  readonly patterns: readonly string[];
}

/** Parses the conditions of a rule. Calls `report` with the path of each invalid property within the rule. */
export function readBounds(
  value: Readonly<Record<string, unknown>>,
  { effect, subject, patterns }: BoundRule,
  report: (path: JsonPath, message: string, hint?: string) => null,
): AllowConditions | null {
  const { agent, kind, exact, cwd } = value;
  const given = boundKeys.find((key) => value[key] !== undefined);
  if (given === undefined) return {};
  if (effect !== "allow") return report([given], `"${given}" is only valid in rules that allow.`, "Leave it out.");
  for (const [key, text] of Object.entries({ agent, kind })) {
    if (text !== undefined && (typeof text !== "string" || text === ""))
      return report([key], `"${key}" must be a non-empty string.`);
  }
  if (exact !== undefined && exact !== true) return report(["exact"], '"exact" must be true.', "Leave it out.");
  const isExactCommand = exact === true && subject === "command";
  if (cwd !== undefined && !isExactCommand)
    return report(["cwd"], '"cwd" is only valid in rules about exact commands.', 'Add "exact": true, or remove "cwd".');
  if (cwd !== undefined && !isWholePath(cwd)) return report(["cwd"], '"cwd" must be an absolute path.');
  const wrong = exact === true ? patterns.find((pattern) => !isExactly(subject, pattern)) : undefined;
  if (wrong !== undefined) return report([subject], faultOfExact(subject, wrong));
  return {
    ...(typeof agent === "string" && { agent }),
    ...(typeof kind === "string" && { kind }),
    ...(exact === true && { exact }),
    ...(typeof cwd === "string" && { cwd }),
  };
}

/** Describes a rule's conditions for display; empty if the rule has none. */
export function boundText({ agent, kind, exact, cwd, in: folder }: AllowConditions & { readonly in?: string }): string {
  const parts = [
    ...(exact === true ? ["exactly"] : []),
    ...(cwd === undefined ? [] : [`run in ${cwd}`]),
    ...(kind === undefined ? [] : [`calls of the kind ${kind}`]),
    ...(agent === undefined ? [] : [`by ${agent}`]),
    ...(folder === undefined ? [] : [`for sessions in ${folder}`]),
  ];
  return parts.length === 0 ? "" : ` [${parts.join(", ")}]`;
}

function isExactly(subject: string, pattern: string): boolean {
  switch (subject) {
    case "command":
      return pattern.trim() !== "";
    case "read":
    case "write":
      return isWholePath(pattern);
    case "host":
      return isOrigin(pattern);
    default:
      return false;
  }
}

/** Whether the text is a normalized origin: lowercase, without the default port. */
function isOrigin(text: string): boolean {
  const [, scheme, port] = /^(https?):\/\/(?:\[[0-9a-f:]+\]|[a-z0-9_.-]+)(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  return scheme !== undefined && port !== (scheme === "http" ? "80" : "443");
}

function faultOfExact(subject: string, pattern: string): string {
  const shown = JSON.stringify(pattern);
  if (subject === "command") return '"command" contains an empty line.';
  if (subject === "host")
    return `The address ${shown} isn't an exact origin: write it as https://example.com or http://localhost:8080.`;
  if (subject === "mcp") return '"exact" doesn\'t apply to tools: leave it out.';
  return `The path ${shown} isn't exact: write the full path from the root of the disk.`;
}

function isWholePath(value: unknown): value is string {
  return typeof value === "string" && /^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(value);
}
