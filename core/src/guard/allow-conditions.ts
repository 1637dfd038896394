import type { JsonPath } from "../base/problem.js";

/** What narrows a rule that allows. An agent calls its calls what it likes, so that no refusal may hang on it. */
export interface AllowConditions {
  /** Whose calls it allows, by a name of the agent as in `"agents"`; everybody's when absent. */
  readonly agent?: string;
  /** ACP's `ToolKind` of the calls that it allows; any when absent. */
  readonly kind?: string;
  /**
   * Its patterns are the things themselves, letter by letter: a whole command line, an absolute path with links followed, or an
   * origin such as `https://example.com`.
   */
  readonly exact?: true;
  /** Of exact commands: where they run, absolute, with links followed; anywhere in the session's folders when absent. */
  readonly cwd?: string;
}

/** The members of a rule that say it. */
export const boundKeys = ["agent", "kind", "exact", "cwd"] as const;

interface BoundRule {
  readonly effect: string;
  readonly subject: string;
  readonly patterns: readonly string[];
}

/** Reads them from a rule. `report` hears of what cannot be read, with the path within the rule. */
export function readBounds(
  value: Readonly<Record<string, unknown>>,
  { effect, subject, patterns }: BoundRule,
  report: (path: JsonPath, message: string, hint?: string) => null,
): AllowConditions | null {
  const { agent, kind, exact, cwd } = value;
  const given = boundKeys.find((key) => value[key] !== undefined);
  if (given === undefined) return {};
  if (effect !== "allow") return report([given], `"${given}" stands in rules that allow alone.`, "Leave it out.");
  for (const [key, text] of Object.entries({ agent, kind })) {
    if (text !== undefined && (typeof text !== "string" || text === ""))
      return report([key], `"${key}" has to be a text.`);
  }
  if (exact !== undefined && exact !== true) return report(["exact"], '"exact" has to be true.', "Leave it out.");
  const isExactCommand = exact === true && subject === "command";
  if (cwd !== undefined && !isExactCommand)
    return report(["cwd"], '"cwd" stands in rules about exact commands alone.', 'Add "exact": true, or leave it out.');
  if (cwd !== undefined && !isWholePath(cwd)) return report(["cwd"], '"cwd" has to be an absolute path.');
  const wrong = exact === true ? patterns.find((pattern) => !isExactly(subject, pattern)) : undefined;
  if (wrong !== undefined) return report([subject], faultOfExact(subject, wrong));
  return {
    ...(typeof agent === "string" && { agent }),
    ...(typeof kind === "string" && { kind }),
    ...(exact === true && { exact }),
    ...(typeof cwd === "string" && { cwd }),
  };
}

/** How a rule is narrowed, after its patterns, for people; empty where it is not. */
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

/** As addresses begin when they have been read: small letters, and no port where it is the usual one. */
function isOrigin(text: string): boolean {
  const [, scheme, port] = /^(https?):\/\/(?:\[[0-9a-f:]+\]|[a-z0-9_.-]+)(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  return scheme !== undefined && port !== (scheme === "http" ? "80" : "443");
}

function faultOfExact(subject: string, pattern: string): string {
  const shown = JSON.stringify(pattern);
  if (subject === "command") return '"command" has an empty line.';
  if (subject === "host")
    return `The address ${shown} is no exact origin: write it as https://example.com or http://localhost:8080.`;
  if (subject === "mcp") return '"exact" says nothing about tools: leave it out.';
  return `The path ${shown} is not exact: write it whole, from the root of the disk on.`;
}

function isWholePath(value: unknown): value is string {
  return typeof value === "string" && /^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(value);
}
