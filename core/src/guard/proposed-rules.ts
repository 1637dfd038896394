import { grantOf } from "../base/safety/command-grant.js";
import { fileUses } from "../base/safety/file-uses.js";
import type { GuardedCommand, GuardRequest } from "./decision.js";
import type { GuardRule } from "./guard-rule.js";
import type { GuardPath } from "./path-pattern.js";

export type ProposedRule = Omit<GuardRule, "place">;
type About = Pick<GuardRule, "subject" | "patterns" | "exact" | "cwd">;

/**
 * Returns the widest allow rules that a user who allows the request would expect. Empty if no rule can express the request, such as a
 * command with variables. The rules may allow less than the request.
 */
export function proposedRules({ kind, command, paths, host }: GuardRequest): readonly ProposedRule[] {
  // Only the user may decide whether an agent leaves its plan.
  if (kind === undefined || kind === "switch_mode") return [];
  const origin = kind === "fetch" && paths.length === 0 ? host?.origin : undefined;
  const isForFiles = fileUses(kind) !== undefined && paths.length > 0;
  const about = command
    ? commandRules(command, paths)
    : isForFiles
      ? fileRules(paths)
      : origin === undefined
        ? []
        : [exactly("host", origin)];
  return about.map((one) => ({ effect: "allow", ...one, kind }));
}

function commandRules({ text, cwd, parts, isPlain, isWords }: GuardedCommand, paths: readonly GuardPath[]): About[] {
  const [part, next] = parts ?? [];
  const words = part?.grant;
  if (words && !next && isWhole(words) && paths.every(({ isOrdinary }) => isOrdinary)) {
    return [{ subject: "command", patterns: [words.join(" ")] }];
  }
  if (!isPlain || isWords === true || text.trim() === "") return [];
  return [{ ...exactly("command", text), ...(cwd !== undefined && { cwd }) }];
}

/** Returns whether a pattern of these words matches only the words and any harmless options, without wildcards. */
function isWhole(words: readonly string[]): boolean {
  return grantOf(words)?.length === words.length && words.every((word) => /^[\w:.+-]+$/.test(word));
}

function fileRules(paths: readonly GuardPath[]): About[] {
  const uses = [...new Set(paths.map(({ use }) => use))];
  if (paths.every(({ isOrdinary }) => isOrdinary)) return uses.map((subject) => ({ subject, patterns: ["/**"] }));
  const [file, ...others] = new Set(paths.map(({ real }) => real));
  return file === undefined || others.length > 0 ? [] : uses.map((use) => exactly(use, file));
}

function exactly(subject: About["subject"], pattern: string): About {
  return { subject, patterns: [pattern], exact: true };
}
