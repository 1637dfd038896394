import { commandGrant, type NewRule } from "@symposium-dev/core/node";
import { type CommandRule } from "./command-rule.js";
import type { RuleSubject } from "./permission-rule.js";
import { commandPrint } from "./permission-subject.js";

/** Whose answer it is, and about which calls. */
interface AnswerBounds {
  /** The id under which guard.jsonc has the agent. */
  readonly agent: string;
  readonly toolKind: string;
  /** The folder whose sessions it holds for, absolute; everywhere when absent. */
  readonly folder?: string | undefined;
}

/**
 * The rules of guard.jsonc that allow what an answer that lasts allows, or less, and nothing besides; undefined where they cannot say
 * it: variables and special leave, a call by its hash.
 */
export function answerToGuardRules(subject: RuleSubject, bounds: AnswerBounds): readonly NewRule[] | undefined {
  // Whether an agent leaves its plan is never for a rule to say.
  if (bounds.toolKind === "switch_mode") return undefined;
  const about = aboutOf(subject, bounds.toolKind);
  return about?.map((one) => ({
    effect: "allow",
    ...one,
    kind: bounds.toolKind,
    agent: bounds.agent,
    ...(bounds.folder !== undefined && { in: bounds.folder }),
  }));
}

type About = Pick<NewRule, "subject" | "patterns" | "exact" | "cwd">;

/** Calls of this kind read and write a file: a rule for each use. */
const fileUses: Readonly<Record<string, readonly ("read" | "write")[]>> = {
  read: ["read"],
  search: ["read"],
  edit: ["write"],
  delete: ["write"],
  move: ["read", "write"],
};

function aboutOf(subject: RuleSubject, toolKind: string): readonly About[] | undefined {
  const uses = Object.hasOwn(fileUses, toolKind) ? fileUses[toolKind] : undefined;
  switch (subject.type) {
    case "exact-command":
      return isPlain(subject) ? [exactly("command", subject.text, subject.cwd)] : undefined;
    case "command-prefix":
      return isWhole(subject.words) ? [{ subject: "command", patterns: [subject.words.join(" ")] }] : undefined;
    case "workspace":
      return uses?.map((use) => ({ subject: use, patterns: ["/**"] }));
    case "path":
      return uses?.map((use) => exactly(use, subject.path));
    case "origin":
      return [exactly("host", subject.origin)];
    case "same":
      return undefined;
  }
}

function exactly(subject: About["subject"], pattern: string, cwd?: string): About {
  return { subject, patterns: [pattern], exact: true, ...(cwd !== undefined && { cwd }) };
}

/** Whether the command was one for a shell, without variables and whatever else changes how it runs, which its print has. */
function isPlain({ text, cwd, print, variables }: CommandRule & { readonly type: "exact-command" }): boolean {
  const isVisible = text.trim() !== "";
  return (
    isVisible && Object.keys(variables).length === 0 && print === commandPrint({ text, variables, special: {} }, cwd)
  );
}

/** Whether a pattern of these words means no more than they do: nothing but what any harmless options may follow, without stars. */
function isWhole(words: readonly string[]): boolean {
  return commandGrant(words)?.length === words.length && words.every((word) => /^[\w:.+-]+$/.test(word));
}
