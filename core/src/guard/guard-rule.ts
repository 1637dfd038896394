import { JsonDocument } from "../settings/json-document.js";
import { formatProblem, type JsonPath } from "../base/problem.js";
import { type AgentLevel, noteMisspelt, readLevels } from "./agent-level.js";
import { type Budget, budgetFigures, budgetScopes } from "./budget.js";
import { concerns, faultOfCommandPattern } from "./command-pattern.js";
import { readTarget } from "./network/target.js";
import { faultOfPathPattern } from "./path-pattern.js";
import { boundKeys, readBounds, type AllowConditions } from "./allow-conditions.js";
import { faultOfToolPattern } from "./tool-pattern.js";

/** Effects of a rule: deny, ask the user, or allow without asking. */
export const effects = ["deny", "ask", "allow"] as const;
export type Effect = (typeof effects)[number];

/** Subjects of a rule: programs, files to read, files to write, network hosts and MCP tools. */
export const ruleSubjects = ["command", "read", "write", "host", "mcp"] as const;
export type RuleSubject = (typeof ruleSubjects)[number];

export interface GuardRule extends AllowConditions {
  readonly effect: Effect;
  readonly subject: RuleSubject;
  /** Patterns of the rule, which applies if one of them matches. */
  readonly patterns: readonly string[];
  /** Hosts that the rule doesn't apply to, of a policy's rule for all other hosts. */
  readonly except?: readonly string[];
  /** Reason for the rule, stated by its author. */
  readonly reason?: string;
  /** Folder whose sessions the rule applies to, absolute or with `~/`; undefined means all. */
  readonly in?: string;
  /** Location of the rule as `FILE:LINE`, for display. */
  readonly place: string;
}

/** Parsed content of a guard.jsonc. */
export interface GuardFile {
  readonly rules: readonly GuardRule[];
  /** Whether the file contains an unreadable rule. If so, deny rules may be missing. */
  readonly mayLackRules: boolean;
  readonly budgets: readonly Budget[];
  /** Protection levels of agents. Only the user's own file can set them. */
  readonly levels: readonly AgentLevel[];
  /** Problems in the file, one line each, with the location. If there are any, the file's allow rules don't apply. */
  readonly problems: readonly string[];
  /** Notes about entries that are valid but probably a mistake, one line each. */
  readonly notes: readonly string[];
}

interface GuardFileOptions {
  /** Path of the guard file, for display. */
  readonly file: string;
  /** Whether the file belongs to a repository. Rules in such a file can deny and ask, but not allow. */
  readonly isOfProject: boolean;
  /** Whether the file is the policy of an organisation. Its rules can only deny and ask, and apply to all agents. */
  readonly isOfPolicy?: boolean;
}

const keys = ["effect", ...ruleSubjects, "in", ...boundKeys, "reason", "examples"];

/**
 * Parses a guard file; never throws. If `problems` lists unreadable rules, omits all allow rules, since a deny rule may be missing.
 *
 * - `"rules"` lists `{"effect": "deny", "command": "git push", "in"?, "agent"?, "kind"?, "exact"?, "cwd"?, "reason"?, "examples"?}`.
 *   The subject (`command`, `read`, `write`, `host` or `mcp`) has one pattern or a list.
 * - `"examples"` is `{"match"?: [], "noMatch"?: []}`.
 * - `"budgets"` is `{"session"?: {"turns"?, "toolCalls"?, "minutes"?, "tokens"?, "dollars"?}, "day"?, "workspace"?}`. Limits are above 0.
 * - `"agents"` is `{"ID": "rules" | "sandbox" | "off"}`, with `*` for all other agents. Only the user's file may have it.
 */
export function parseGuardFile(text: string, options: GuardFileOptions): GuardFile {
  const document = JsonDocument.parse(text);
  const problems = document.problems.map((problem) => formatProblem(problem, options.file));
  const notes: string[] = [];
  // A broken file may request a sandbox, and an agent that should be sandboxed must not start without one.
  const mayAskForSandbox = !options.isOfProject && text.includes('"sandbox"');
  const unknown = mayAskForSandbox ? [{ agent: "*", level: undefined, place: options.file }] : [];
  if (document.root === undefined) {
    const levels = document.isBroken ? unknown : [];
    return { rules: [], mayLackRules: document.isBroken, budgets: [], levels, problems, notes };
  }
  const located = (path: JsonPath, message: string, hint?: string): string => {
    const problem = { severity: "error", path, message, ...(hint !== undefined && { hint }) } as const;
    return formatProblem(document.locate(problem), options.file);
  };
  const report = (...said: Parameters<typeof located>): null => {
    problems.push(located(...said));
    return null;
  };
  const { rules: given } = isObject(document.value) ? document.value : { rules: undefined };
  if (!isObject(document.value) || (given !== undefined && !Array.isArray(given))) {
    report([], 'The file must be an object with a list of "rules".');
    return { rules: [], mayLackRules: true, budgets: [], levels: unknown, problems, notes };
  }
  const placeOf = (...path: JsonPath): string =>
    `${options.file}:${document.locate({ severity: "error", path, message: "" }).line}`;
  // A policy has other members with these names.
  const { budgets: limits, agents } = options.isOfPolicy === true ? {} : document.value;
  const budgets = readBudgets(limits, (key, ...said) => report(["budgets", ...key], ...said)).map((one) => ({
    ...one,
    place: placeOf("budgets", one.scope, one.figure),
  }));
  const levels = readLevels(agents, {
    isOfProject: options.isOfProject,
    report: (key, ...said) => void report(["agents", ...key], ...said),
    note: (key, ...said) => void notes.push(located(["agents", ...key], ...said)),
    placeOf: (agent) => placeOf("agents", agent),
  });
  let mayLackRules = document.problems.length > 0;
  const rules = ((given ?? []) as readonly unknown[]).flatMap((value, index) => {
    const rule = readRule(value, { ...options, report: (key, ...said) => report(["rules", index, ...key], ...said) });
    if (!rule) {
      mayLackRules = true;
      return [];
    }
    if (rule.agent !== undefined) {
      noteMisspelt(rule.agent, (...said) => void notes.push(located(["rules", index, "agent"], ...said)));
    }
    return [{ ...rule, place: placeOf("rules", index) }];
  });
  const kept = problems.length === 0 ? rules : rules.filter(({ effect }) => effect !== "allow");
  return { rules: kept, mayLackRules, budgets, levels, problems, notes };
}

/** Returns the valid budgets; reports invalid ones. */
function readBudgets(value: unknown, report: Reading["report"]): readonly Omit<Budget, "place">[] {
  if (value === undefined) return [];
  const budgets: Omit<Budget, "place">[] = [];
  if (!isObject(value)) report([], '"budgets" must be an object.');
  for (const [name, limits] of Object.entries(isObject(value) ? value : {})) {
    const scope = budgetScopes.find((one) => one === name);
    if (!scope) report([name], `There is no budget "${name}".`, `There is ${list(budgetScopes)}.`);
    else if (!isObject(limits)) report([name], `"${name}" must be an object with ${list(budgetFigures)}.`);
    for (const [key, limit] of Object.entries(scope && isObject(limits) ? limits : {})) {
      const figure = budgetFigures.find((one) => one === key);
      if (!figure) report([name, key], `A budget has no "${key}".`, `It has ${list(budgetFigures)}.`);
      else if (typeof limit !== "number" || !Number.isFinite(limit) || limit <= 0) {
        report([name, key], `"${key}" is ${shown(limit)}.`, "It must be a number above 0.");
      } else if (scope) budgets.push({ scope, figure, limit });
    }
  }
  return budgets;
}

interface Reading extends GuardFileOptions {
  /** Reports a problem; `path` is relative to the rule. */
  readonly report: (path: JsonPath, message: string, hint?: string) => null;
}

function readRule(value: unknown, { report, isOfProject, isOfPolicy }: Reading): Omit<GuardRule, "place"> | null {
  if (!isObject(value)) return report([], "A rule must be an object.");
  const unknownKey = Object.keys(value).find((key) => !keys.includes(key));
  if (unknownKey !== undefined) return report([unknownKey], `A rule has no "${unknownKey}".`, `It has ${list(keys)}.`);
  const effect = effects.find((one) => one === value["effect"]);
  if (!effect) return report(["effect"], `"effect" is ${shown(value["effect"])}.`, `It must be ${list(effects)}.`);
  if (effect === "allow" && isOfProject) {
    return report(["effect"], "A repository's rules can't allow anything.", "Put this rule in your own guard.jsonc.");
  }
  if (effect === "allow" && isOfPolicy === true) {
    return report(["effect"], "A policy's rules can't allow anything.", 'Use "deny" or "ask".');
  }
  const subjects = ruleSubjects.filter((one) => one in value);
  const [subject] = subjects;
  if (subject === undefined || subjects.length > 1) {
    return report([], `A rule must have exactly one of ${list(ruleSubjects)}.`, "Write a separate rule for each.");
  }
  const patterns = textsOf(value[subject]);
  if (!patterns) return report([subject], `"${subject}" must be a string or a list of strings.`);
  const bounds = readBounds(value, { effect, subject, patterns }, report);
  if (!bounds) return null;
  const faults = bounds.exact === true ? [] : patterns.flatMap((pattern) => faultOfPattern(subject, pattern) ?? []);
  if (faults[0] !== undefined) return report([subject], faults[0]);
  const { reason } = value;
  if (reason !== undefined && typeof reason !== "string") return report(["reason"], '"reason" must be a string.');
  const folder = value["in"];
  if (folder !== undefined && (typeof folder !== "string" || !/^(?:~\/|\/|[A-Za-z]:[\\/])/.test(folder))) {
    return report(["in"], `"in" is ${shown(folder)}.`, "It must be a folder: an absolute path, or ~/x.");
  }
  const place = folder === undefined ? {} : { in: folder };
  const rule = { effect, subject, patterns, ...place, ...bounds, ...(reason !== undefined && { reason }) };
  return areExamplesRight(value["examples"], rule, report) ? rule : null;
}

/** Whether a command rule matches its examples as its author intended. Reports examples that it doesn't. */
function areExamplesRight(
  given: unknown,
  { subject, patterns }: Pick<GuardRule, "subject" | "patterns">,
  report: Reading["report"],
): boolean {
  if (given === undefined) return true;
  const { match = [], noMatch = [] } = isObject(given) ? given : { match: undefined, noMatch: undefined };
  const [matching, others] = [textsOf(match), textsOf(noMatch)];
  if (subject !== "command" || !matching || !others) {
    report(
      ["examples"],
      '"examples" can contain the command lists "match" and "noMatch", and is only valid in rules about commands.',
    );
    return false;
  }
  const isMatch = (text: string): boolean => patterns.some((pattern) => concerns(pattern, text));
  const wrong = matching.find((text) => !isMatch(text)) ?? others.find(isMatch);
  if (wrong === undefined) return true;
  report(["examples"], `The rule ${isMatch(wrong) ? "matches" : "does not match"} its example ${shown(wrong)}.`);
  return false;
}

function faultOfPattern(subject: RuleSubject, pattern: string): string | undefined {
  if (pattern.trim() === "") return `"${subject}" has an empty pattern.`;
  if (subject === "command") return faultOfCommandPattern(pattern);
  if (subject === "mcp") return faultOfToolPattern(pattern);
  return subject === "host" ? faultOfHostPattern(pattern) : faultOfPathPattern(pattern);
}

/**
 * Describes the error in a host pattern that can never match a normalized host; undefined if there is none. Even a deny rule with such a
 * pattern would have no effect.
 */
export function faultOfHostPattern(pattern: string): string | undefined {
  const [, star = "", rest = "", port] = /^(\*\.)?(.*?)(?::(\d+))?$/s.exec(pattern.toLowerCase()) ?? [];
  const isPort = port === undefined || String(Number(port)) === port;
  const target = isPort ? readTarget(rest, Number(port ?? 443)) : undefined;
  const [, host] = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#]*@)?([^/?#]+)/.exec(pattern.toLowerCase()) ?? [];
  if (host !== undefined && faultOfHostPattern(host) === undefined) {
    return `The host ${shown(pattern)} is a full address: write only its host, ${shown(host)}.`;
  }
  if (!target || (star !== "" && target.address)) {
    return (
      `The host ${shown(pattern)} isn't valid: write a name such as api.example.com, *.example.com or example.com:8443, or an ` +
      "address such as 10.0.0.1 or [fd00::1]."
    );
  }
  return target.host === rest ? undefined : `The host ${shown(pattern)} must be written ${shown(target.host)}.`;
}

function textsOf(value: unknown): readonly string[] | undefined {
  const all = typeof value === "string" ? [value] : value;
  return Array.isArray(all) && all.every((one) => typeof one === "string") ? all : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

function shown(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}
