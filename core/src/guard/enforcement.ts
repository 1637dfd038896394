import type { AgentRow } from "../agents/registry/agent-table.js";
import type { NativeRules } from "../agents/registry/native-rules.js";
import { asObject } from "../base/rpc/json.js";
import type { ProtectionLevel } from "../base/safety/protection-level.js";
import type { GuardRule } from "./guard-rule.js";
import { denialsOf } from "./native-denials.js";
import { hiddenInHome } from "./sandbox/protected-names.js";

/** Mechanism that enforces a rule; `gate` is Symposium as the client of its MCP servers. */
export type Enforcer = "sandbox" | "agent" | "gate" | "requests" | "nothing";

/** One pattern of a rule, and what enforces it for an agent. */
export interface Enforcement {
  readonly effect: GuardRule["effect"];
  readonly subject: GuardRule["subject"];
  readonly pattern: string;
  readonly place: string;
  readonly by: Enforcer;
  /** Limit of the enforcement, as a clause. */
  readonly note?: string;
}

interface EnforcementFacts {
  readonly level: ProtectionLevel;
  readonly row: Pick<AgentRow, "asksFirst" | "nativeRules"> | undefined;
  /** Whether agents get the rule at their start, as the user's and the organisation's rules without a folder. */
  readonly isGivenAtStart: (rule: GuardRule) => boolean;
  readonly isWindows: boolean;
}

/** Tells for each pattern of the rules what enforces it for an agent with default settings. */
export function enforcementOf(rules: readonly GuardRule[], facts: EnforcementFacts): readonly Enforcement[] {
  return rules.flatMap((rule) =>
    rule.patterns.map((pattern) => {
      const { effect, subject, place, except } = rule;
      const shown = except ? ["all", ...(except.length === 0 ? [] : ["except", except.join(", ")])].join(" ") : pattern;
      return { effect, subject, pattern: shown, place, ...enforcerOf({ ...rule, patterns: [pattern] }, facts) };
    }),
  );
}

type Found = Pick<Enforcement, "by" | "note">;

function enforcerOf(rule: GuardRule, facts: EnforcementFacts): Found {
  const { effect, subject, patterns } = rule;
  if (facts.level === "off") return { by: "nothing", note: "the agent runs without protection by Symposium" };
  if (facts.level === "sandbox" && subject === "host") return { by: "sandbox" };
  if (effect === "allow") return { by: "requests", note: "Symposium answers them without asking you" };
  if (facts.level === "sandbox" && isHidden(subject, patterns[0] ?? "")) return { by: "sandbox" };
  if (subject === "mcp") return { by: "gate", note: "only for servers that Symposium runs" };
  if (effect === "deny" && isNative(rule, facts)) {
    return { by: "agent", ...(subject === "host" && { note: "only in its own fetch tool" }) };
  }
  return requestsAbout(rule, facts);
}

/** Whether a path is in a folder that no sandbox shows. */
function isHidden(subject: GuardRule["subject"], pattern: string): boolean {
  if (subject !== "read" && subject !== "write") return false;
  return hiddenInHome.some((name) => pattern === `~/${name}` || pattern.startsWith(`~/${name}/`));
}

/** Whether the agent itself denies the rule's pattern. */
function isNative(rule: GuardRule, { row, isGivenAtStart, isWindows }: EnforcementFacts): boolean {
  const native: NativeRules | undefined = row?.nativeRules;
  if (!native || (native.kind !== "session" && !isGivenAtStart(rule))) return false;
  const [denied, none] = [denialsOf([rule]), denialsOf([])];
  switch (native.kind) {
    case "hook":
      return rule.subject === "command" && !isWindows;
    case "arguments":
      return native.words(denied).length > 0;
    case "file":
      return native.content(denied).trim() !== "";
    case "config":
      return JSON.stringify(native.members({}, denied)) !== JSON.stringify(native.members({}, none));
    case "session":
      return JSON.stringify(denyIn(native.members({}, denied))) !== JSON.stringify(denyIn(native.members({}, none)));
  }
}

function denyIn(members: Readonly<Record<string, unknown>>): unknown {
  return asObject(members["permissions"])?.["deny"];
}

function requestsAbout({ subject }: GuardRule, { row }: EnforcementFacts): Found {
  if (subject === "host") return { by: "nothing", note: "only the sandbox limits connections" };
  if (subject === "read") return { by: "nothing", note: "agents read files without asking" };
  const asks = subject === "command" ? row?.asksFirst?.Bash : row?.asksFirst?.Edit;
  const what = subject === "command" ? "runs commands" : "writes files";
  if (asks === undefined) return { by: "requests", note: "Symposium doesn't know when this agent asks" };
  if (asks === "never") return { by: "nothing", note: `the agent ${what} without asking` };
  return { by: "requests", ...(asks === "writes" && { note: "except commands that the agent considers read-only" }) };
}
