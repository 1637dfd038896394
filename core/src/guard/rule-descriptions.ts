import type { AgentHosts } from "../agents/registry/agent-network-hosts.js";
import type { SandboxNeeds } from "../agents/registry/sandbox-needs.js";
import type { ProtectionLevel } from "../base/safety/protection-level.js";
import { amountText, type Budget, spanText } from "./budget.js";
import type { GuardRule, RuleSubject } from "./guard-rule.js";
import { boundText, type AllowConditions } from "./allow-conditions.js";

/** Facts about how an agent is protected in a folder. */
interface ProtectionFacts {
  readonly name: string;
  readonly level: ProtectionLevel;
  /** Whether the agent is part of Symposium. A built-in agent starts no processes. */
  readonly isBuiltIn: boolean;
  /** The agent's row in the table of known agents. */
  readonly row?: { readonly hosts?: AgentHosts; readonly sandbox?: SandboxNeeds } | undefined;
  /** Why this machine has no sandbox, and what to do about it; undefined if the machine has one. */
  readonly missing?: { readonly reason: string; readonly remedy: string } | undefined;
  /** The folder's name for display, such as `~/src/app`. */
  readonly folder: string;
  readonly rules: readonly GuardRule[];
  readonly budgets: readonly Budget[];
}

/** Sentences that tell users what an agent may do. */
export interface PlainWords {
  readonly summary: string;
  readonly parts: readonly { readonly title: string; readonly text: string }[];
}

/** Describes what an agent may do, including what nothing prevents it from doing. */
export function plainWords(facts: ProtectionFacts): PlainWords {
  const { name, level, isBuiltIn, missing, rules, budgets } = facts;
  const limits = budgets.map((one) => `${amountText(one, one.limit)} ${spanText(one)}`);
  const parts = [
    { title: "Files", text: sentences(files(facts), ruleWords(rules, ["read", "write"])) },
    { title: "Hosts", text: sentences(hosts(facts), ruleWords(rules, ["host"])) },
    { title: "Commands", text: sentences(commands(facts), ruleWords(rules, ["command"])) },
    { title: "Tools", text: ruleWords(rules, ["mcp"]) },
    { title: "Budgets", text: limits.length === 0 ? "" : `Symposium stops it and asks you at ${limits.join(", ")}.` },
  ].filter(({ text }) => text !== "");
  if (isBuiltIn) return { summary: `${name} is part of Symposium and starts no programs.`, parts: [] };
  switch (level) {
    case "off":
      return {
        summary: `${name} runs without protection by Symposium: your rules and budgets don't apply to it.`,
        parts: [],
      };
    case "rules":
      return {
        summary: `${name} follows your rules. It and its programs run with your permissions, outside a sandbox.`,
        parts,
      };
    case "sandbox":
      if (!missing) return { summary: `${name} and its programs run in a sandbox.`, parts };
      return {
        summary: `${name} can't start, because it is set to run in a sandbox, and this machine has none: ${missing.reason}. ${missing.remedy}`,
        parts: [],
      };
  }
}

function files({ level, folder, row }: ProtectionFacts): string {
  if (level === "rules") return "Asks before editing files depending on its mode.";
  const state = row?.sandbox?.state.map(({ folder: own, name }) => `~/${own}${name === undefined ? "" : `/${name}`}`);
  const own = state ? `, and its own sessions and sign-in (${state.join(", ")})` : "";
  return `It can read and change ${folder}${own}. It can read the system's programs and toolchains, but not the rest of your home folder. Settings that make tools run programs are read-only; to let the agent change one, add a rule such as \`guard add allow write /.git/config\`.`;
}

function hosts({ level, row }: ProtectionFacts): string {
  if (level === "rules") return "No network restrictions.";
  const { needed = [], refused = [] } = row?.hosts ?? {};
  const model = needed.length === 0 ? [] : [`It can connect to its model and sign-in (${needed.join(", ")}).`];
  const unwanted = refused.length === 0 ? [] : [`Telemetry and updates (${refused.join(", ")}) are blocked.`];
  return [...model, ...unwanted, "Symposium asks you about every other host."].join(" ");
}

function commands({ level }: ProtectionFacts): string {
  if (level === "rules")
    return "Asks before running commands depending on its mode; most agents run some without asking.";
  return "Commands run in the sandbox, with its files and hosts.";
}

const verbs = { deny: "Rules deny", ask: "Rules always ask about", allow: "Rules allow" } as const;

function ruleWords(rules: readonly GuardRule[], subjects: readonly RuleSubject[]): string {
  const about = rules.filter(({ subject }) => subjects.includes(subject));
  return (["deny", "ask", "allow"] as const)
    .flatMap((effect) => {
      const patterns = about
        .filter((rule) => rule.effect === effect)
        .flatMap((rule) =>
          rule.patterns.map(
            (one) => `${subjects.length > 1 ? `${rule.subject} ` : ""}${one}${boundText(narrowed(rule))}`,
          ),
        );
      return patterns.length === 0 ? [] : [`${verbs[effect]} ${[...new Set(patterns)].join(", ")}.`];
    })
    .join(" ");
}

/** Returns a rule's conditions without the agent and the folder, which the text already mentions. */
function narrowed({ kind, exact, cwd }: GuardRule): AllowConditions {
  return { ...(kind !== undefined && { kind }), ...(exact && { exact }), ...(cwd !== undefined && { cwd }) };
}

function sentences(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join(" ");
}
