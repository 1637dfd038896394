import { utf8Length } from "../base/text-bounds.js";
import { importingAgents, type RulesFiles } from "../agents/registry/agent-files.js";
import type { FileInstruction, Instruction } from "./contribution.js";
import { fitInstructions } from "./instructions.js";
import type { ContextItem } from "./context-item.js";
import type { RuleScope } from "./rule-scope.js";

export interface FoundRules {
  /** Form of the rule file; undefined for a file that the project's settings name. */
  readonly form: RulesFiles | undefined;
  readonly isUsers: boolean;
  /** Path for users and the model: relative to the session's folder, or with `~`. */
  readonly title: string;
  /** Absolute real path. */
  readonly path: string;
  /** Absolute folder that the globs are relative to. */
  readonly folder: string;
  /** Text without the front matter. */
  readonly text: string;
  readonly scope: RuleScope;
  /** Reason why the file can't be read; `text` is then empty. */
  readonly problem?: string;
}

export interface PlannedRules {
  readonly items: readonly ContextItem[];
  readonly instructions: readonly Instruction[];
  readonly fileInstructions: readonly FileInstruction[];
}

interface PlanOptions {
  /** The agent's id; undefined for an unknown agent. */
  readonly agentId: string | undefined;
  /** Maximum bytes of rules that always apply. */
  readonly limit: number;
  readonly isExcluded: (rules: FoundRules) => boolean;
  readonly matches: (rules: FoundRules, globs: readonly string[], path: string) => boolean;
}

/** Selects the rule files to send, in order. Skips files that the agent reads itself and duplicate texts. */
export function planRules(found: readonly FoundRules[], options: PlanOptions): PlannedRules {
  const isNative = (rules: FoundRules): boolean => readsItself(rules, options.agentId, found);
  const native = found.filter(isNative);
  const read = new Map(native.map((rules) => [textKey(rules), rules]));
  const imported = importingAgents.has(options.agentId ?? "") ? native.flatMap(importsOf) : [];
  const plans = found.map((rules): Plan => {
    const whyNot = isNative(rules)
      ? "the agent reads it itself"
      : (rules.problem ?? reasonToLeaveOut(rules, { read, imported, found }));
    if (whyNot !== undefined) return { rules, whyNot };
    if (options.isExcluded(rules)) return { rules, whyNot: "switched off" };
    read.set(textKey(rules), rules);
    return { rules, ...instructionOf(rules, options) };
  });
  const always = plans.flatMap(({ instruction }) => instruction ?? []);
  const { sent, leftOut } = fitInstructions(always, options.limit);
  return {
    items: plans.map((plan) => itemOf(plan, leftOut)),
    instructions: leftOut.length === 0 ? sent : [...sent, namesOf(leftOut)],
    fileInstructions: plans.flatMap(({ fileInstruction }) => fileInstruction ?? []),
  };
}

/** Returns an instruction that names the rule files that didn't fit, so that the model can read them. */
function namesOf(leftOut: readonly Instruction[]): Instruction {
  const names = leftOut.map(({ title, text }) => `- ${title} (${utf8Length(text)} bytes)`);
  return {
    title: "Rules that are too long to include here",
    text: `Read these files yourself before work that they concern:\n${names.join("\n")}`,
  };
}

interface Plan {
  readonly rules: FoundRules;
  readonly whyNot?: string;
  readonly instruction?: Instruction;
  readonly fileInstruction?: FileInstruction;
}

function readsItself({ form }: FoundRules, agentId: string | undefined, found: readonly FoundRules[]): boolean {
  if (!form) return false;
  if (agentId === undefined) return form.path === "AGENTS.md";
  const without = form.readWithout?.[agentId];
  if (without !== undefined) return !found.some((other) => other.form?.path === without);
  return form.readBy.includes(agentId);
}

function reasonToLeaveOut(
  rules: FoundRules,
  {
    read,
    imported,
    found,
  }: {
    readonly read: ReadonlyMap<string, FoundRules>;
    readonly imported: readonly string[];
    readonly found: readonly FoundRules[];
  },
): string | undefined {
  const text = rules.text.trim();
  if (text === "") return "it is empty";
  const same = read.get(textKey(rules));
  if (same) return `it has the same text as ${same.title}`;
  if (imported.includes(rules.path)) return "the agent reads it through another file";
  const [only, ...others] = importsOf(rules);
  const target = found.find(({ path }) => path === only);
  if (target && others.length === 0 && /^@\S+$/.test(text)) return `it only refers to ${target.title}`;
  return rules.scope.kind === "manual" ? "it applies only on request" : undefined;
}

function instructionOf(rules: FoundRules, { matches }: PlanOptions): Pick<Plan, "instruction" | "fileInstruction"> {
  const { title, text, scope, isUsers } = rules;
  switch (scope.kind) {
    case "always":
      return { instruction: { title, text, isUsers } };
    case "described":
      return { instruction: { title, text: `Read ${title} when this fits: ${scope.description}`, isUsers } };
    case "files":
      return { fileInstruction: { title, text, isUsers, concerns: (path) => matches(rules, scope.globs, path) } };
    case "manual":
      return {};
  }
}

function itemOf({ rules, whyNot, instruction }: Plan, leftOut: readonly Instruction[]): ContextItem {
  const { title, path, text, scope } = rules;
  const item = { kind: "rule", title, origin: path, bytes: utf8Length(instruction?.text ?? text) } as const;
  if (whyNot !== undefined) return { ...item, isSent: false, reason: whyNot };
  if (instruction && leftOut.includes(instruction)) {
    return { ...item, isSent: false, reason: "too long; the agent is asked to read it" };
  }
  if (scope.kind === "files") {
    return { ...item, isSent: true, reason: `for files that match ${scope.globs.join(", ")}` };
  }
  return { ...item, isSent: true, reason: scope.kind === "described" ? "its description" : "in every session" };
}

/** Returns the absolute paths of the files that a text imports as `@path`. */
export function importsOf({ path, text }: FoundRules): readonly string[] {
  const folder = path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")));
  return [...text.matchAll(/(?:^|\s)@([\w./-]+)/g)].flatMap(([, word = ""]) => {
    // In prose, punctuation may follow the imported path.
    const name = /^.*\.md(?![\w])/.exec(word)?.[0] ?? "";
    if (name === "" || name.endsWith("/.md") || name === ".md") return [];
    const names = name.split("/").filter((part) => part !== "." && part !== "");
    return names.includes("..") ? [] : `${folder}/${names.join("/")}`;
  });
}

/** Returns a rule file's text with normalized white space, to find duplicate texts. */
function textKey({ text }: FoundRules): string {
  return text.replace(/\s+/g, " ").trim();
}
