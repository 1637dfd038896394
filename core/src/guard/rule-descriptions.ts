import type { AgentHosts } from "../agents/registry/agent-hosts.js";
import type { SandboxNeeds } from "../agents/registry/sandbox-needs.js";
import type { ProtectionLevel } from "../base/safety/protection-level.js";
import { amountText, type Budget, spanText } from "./budget.js";
import type { GuardRule, RuleSubject } from "./guard-rule.js";
import { boundText, type AllowConditions } from "./allow-conditions.js";

/** How an agent is held in a folder. */
interface HeldAgentFacts {
  readonly name: string;
  readonly level: ProtectionLevel;
  /** It is part of this program and starts none. */
  readonly isBuiltIn: boolean;
  /** What is known of it. */
  readonly row?: { readonly hosts?: AgentHosts; readonly sandbox?: SandboxNeeds } | undefined;
  /** Why there is no sandbox on this machine, with the remedy; undefined where there is one. */
  readonly missing?: { readonly reason: string; readonly remedy: string } | undefined;
  /** For people, such as `~/src/app`. */
  readonly folder: string;
  readonly rules: readonly GuardRule[];
  readonly budgets: readonly Budget[];
}

/** What an agent may do, in words for people. */
export interface PlainWords {
  /** One sentence or two. */
  readonly summary: string;
  readonly parts: readonly { readonly title: string; readonly text: string }[];
}

/** Says what an agent may do. Nothing is promised: what holds it, and what does not, are both said. */
export function plainWords(facts: HeldAgentFacts): PlainWords {
  const { name, level, isBuiltIn, missing, rules, budgets } = facts;
  const limits = budgets.map((one) => `${amountText(one, one.limit)} ${spanText(one)}`);
  const parts = [
    { title: "Files", text: sentences(files(facts), ruleWords(rules, ["read", "write"])) },
    { title: "Hosts", text: sentences(hosts(facts), ruleWords(rules, ["host"])) },
    { title: "Commands", text: sentences(commands(facts), ruleWords(rules, ["command"])) },
    { title: "Tools", text: ruleWords(rules, ["mcp"]) },
    { title: "Budgets", text: limits.length === 0 ? "" : `It is stopped, and you are asked, at ${limits.join(", ")}.` },
  ].filter(({ text }) => text !== "");
  if (isBuiltIn) return { summary: `${name} is a part of Symposium and starts no programs.`, parts: [] };
  switch (level) {
    case "off":
      return {
        summary: `${name} is held by nothing but its own manner of asking: your rules and budgets are off for it.`,
        parts: [],
      };
    case "rules":
      return {
        summary: `${name} is held to your rules. It and its programs run as you do, and reach what you reach.`,
        parts,
      };
    case "sandbox":
      if (!missing) return { summary: `${name} and all that works for it run in a sandbox.`, parts };
      return {
        summary: `${name} should run in a sandbox, and is not started, since there is none here: ${missing.reason}. ${missing.remedy}`,
        parts: [],
      };
  }
}

function files({ level, folder, row }: HeldAgentFacts): string {
  if (level === "rules") return "Whether it asks before it edits files depends on its mode.";
  const state = row?.sandbox?.state.map(({ folder: own, name }) => `~/${own}${name === undefined ? "" : `/${name}`}`);
  const own = state ? `, and its own sessions and sign-in (${state.join(", ")})` : "";
  return `It can read and change ${folder}${own}. It can read the system's programs and toolchains. The rest of your home folder is not there. Settings that make tools run programs are read-only; a rule opens one, as in \`guard add allow write /.git/config\`.`;
}

function hosts({ level, row }: HeldAgentFacts): string {
  if (level === "rules") return "No network restrictions.";
  const { needed = [], refused = [] } = row?.hosts ?? {};
  const model = needed.length === 0 ? [] : [`It reaches its model and sign-in (${needed.join(", ")}).`];
  const unwanted = refused.length === 0 ? [] : [`Telemetry and updates (${refused.join(", ")}) are refused.`];
  return [...model, ...unwanted, "You are asked about every other host."].join(" ");
}

function commands({ level }: HeldAgentFacts): string {
  if (level === "rules")
    return "Which commands it asks about depends on its mode; most agents run some without asking.";
  return "They run in the sandbox, too, with its files and hosts.";
}

const verbs = { deny: "Rules refuse", ask: "You are asked each time about", allow: "Rules allow" } as const;

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

/** Without the agent and the folder, of which the words are. */
function narrowed({ kind, exact, cwd }: GuardRule): AllowConditions {
  return { ...(kind !== undefined && { kind }), ...(exact && { exact }), ...(cwd !== undefined && { cwd }) };
}

function sentences(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join(" ");
}
