import { commandGrant, type NewRule } from "@symposium-dev/core/node";
import { type CommandRule } from "./command-rule.js";
import type { RuleSubject } from "./permission-rule.js";
import { commandPrint } from "./permission-subject.js";

interface AnswerBounds {
  /** Agent id in guard.jsonc. */
  readonly agent: string;
  readonly toolKind: string;
  /** Absolute folder whose sessions the answer applies to; absent for all folders. */
  readonly folder?: string | undefined;
}

/**
 * Returns guard.jsonc rules that allow at most what a lasting answer allows. Returns undefined if no rule can express the answer: commands
 * with variables or special permissions, or a call identified by hash.
 */
export function answerToGuardRules(subject: RuleSubject, bounds: AnswerBounds): readonly NewRule[] | undefined {
  // Never write a rule for this tool kind: only the user may decide whether an agent leaves its plan.
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

/** File uses per tool kind. Each use needs its own rule. */
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

/** Returns whether the command was a plain shell command: no variables, and no other options that are part of its hash. */
function isPlain({ text, cwd, print, variables }: CommandRule & { readonly type: "exact-command" }): boolean {
  const isVisible = text.trim() !== "";
  return (
    isVisible && Object.keys(variables).length === 0 && print === commandPrint({ text, variables, special: {} }, cwd)
  );
}

/** Returns whether a pattern of these words matches only the words and any harmless options, without wildcards. */
function isWhole(words: readonly string[]): boolean {
  return commandGrant(words)?.length === words.length && words.every((word) => /^[\w:.+-]+$/.test(word));
}
