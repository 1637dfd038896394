import * as l10n from "@vscode/l10n";
import { type CheckedPath, needsLeave } from "@symposium-dev/core/node";
import {
  type CommandRule,
  allowsCommand,
  allowsPart,
  describeCommandRule,
  proposedCommandRule,
  rejectsCommand,
} from "./command-rule.js";
import type { PermissionSubject } from "./permission-subject.js";

export type RuleSubject =
  | CommandRule
  | { readonly type: "workspace" }
  /** Matches one file, inside or outside the workspace. The path is absolute with links resolved. */
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "origin"; readonly origin: string }
  /** Matches only the same request again, identified by the hash of its input. */
  | { readonly type: "same"; readonly print: string; readonly title: string };

/** Answer for the rest of a session, for one agent and one tool kind. */
export interface PermissionRule {
  readonly id: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly toolKind: string;
  readonly effect: "allow" | "reject";
  readonly sessionId: string;
  readonly subject: RuleSubject;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

const fileVerbs: Readonly<Record<string, string>> = {
  read: "read",
  edit: "change",
  delete: "delete",
  move: "move",
  search: "search",
};

/** Returns the widest rule that a user who allows `asked` would expect; undefined if no rule makes sense. */
export function proposedSubject(asked: PermissionSubject): RuleSubject | undefined {
  const { command, paths, origin, toolKind, title, print, isUserOnly } = asked;
  if (isUserOnly) return undefined;
  if (command) {
    const rule = proposedCommandRule(command);
    const isWide = rule?.type === "command-prefix" && !paths.every((path) => isOrdinary(path, toolKind));
    return isWide ? { type: "same", print, title } : rule;
  }
  if (Object.hasOwn(fileVerbs, toolKind) && paths.length > 0) {
    if (paths.every((path) => isOrdinary(path, toolKind))) return { type: "workspace" };
    const [first] = paths;
    if (first !== undefined && paths.every(({ real }) => real === first.real))
      return { type: "path", path: first.real };
  }
  if (toolKind === "fetch" && origin !== undefined && paths.length === 0) return { type: "origin", origin };
  return { type: "same", print, title };
}

/**
 * Returns the rule that answers `asked`; reject rules take precedence. A command line with several programs is also allowed if each program
 * has an allow rule; the first of these rules is returned.
 */
export function answeringRule(rules: readonly PermissionRule[], asked: PermissionSubject): PermissionRule | undefined {
  const bound = rules.filter((rule) => binds(rule, asked));
  const allowing = bound.filter(({ effect }) => effect === "allow");
  return (
    bound.find(({ effect, subject }) => effect === "reject" && rejects(subject, asked)) ??
    allowing.find(({ subject }) => covers(subject, asked)) ??
    ruleForEachPart(allowing, asked)
  );
}

function binds(rule: PermissionRule, asked: PermissionSubject): boolean {
  if (asked.isUserOnly || rule.agentId !== asked.agentId || rule.toolKind !== asked.toolKind) return false;
  return rule.sessionId === asked.sessionId;
}

function ruleForEachPart(rules: readonly PermissionRule[], asked: PermissionSubject): PermissionRule | undefined {
  const parts = asked.command?.parts ?? [];
  if (parts.length < 2 || !asked.paths.every((path) => isOrdinary(path, asked.toolKind))) return undefined;
  const found = parts.map((part) => rules.find(({ subject }) => isCommandRule(subject) && allowsPart(subject, part)));
  return found.includes(undefined) ? undefined : found[0];
}

function rejects(subject: RuleSubject, asked: PermissionSubject): boolean {
  if (!isCommandRule(subject)) return covers(subject, asked);
  return asked.command !== undefined && rejectsCommand(subject, asked.command);
}

function isCommandRule(subject: RuleSubject): subject is CommandRule {
  return subject.type === "exact-command" || subject.type === "command-prefix";
}

function covers(subject: RuleSubject, asked: PermissionSubject): boolean {
  const { command, paths } = asked;
  const isFileWork = !command && paths.length > 0;
  switch (subject.type) {
    case "exact-command":
      return command !== undefined && allowsCommand(subject, command);
    case "command-prefix":
      return (
        command !== undefined &&
        allowsCommand(subject, command) &&
        paths.every((path) => isOrdinary(path, asked.toolKind))
      );
    case "workspace":
      return isFileWork && paths.every((path) => isOrdinary(path, asked.toolKind));
    case "path":
      return isFileWork && paths.every(({ real }) => real === subject.path);
    case "origin":
      return !command && paths.length === 0 && asked.origin === subject.origin;
    case "same":
      return asked.print === subject.print;
  }
}

function isOrdinary(path: CheckedPath, toolKind: string): boolean {
  return !needsLeave(path, toolKind === "read" || toolKind === "search" ? "read" : "write");
}

export function describeRule(subject: RuleSubject, toolKind: string): string {
  const verb = (Object.hasOwn(fileVerbs, toolKind) ? fileVerbs[toolKind] : undefined) ?? "use";
  switch (subject.type) {
    case "exact-command":
    case "command-prefix":
      return describeCommandRule(subject);
    case "workspace":
      return l10n.t("{0} files in the workspace", verb);
    case "path":
      return `${verb} ${subject.path}`;
    case "origin":
      return l10n.t("fetch from {0}", subject.origin);
    case "same":
      return l10n.t("do exactly this again: {0}", subject.title);
  }
}
