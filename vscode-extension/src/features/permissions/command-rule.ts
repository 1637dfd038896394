import * as l10n from "@vscode/l10n";
import { type CommandPart, commandGrantText } from "@symposium-dev/core/node";
import type { CommandSubject } from "./permission-subject.js";

export type CommandRule =
  /** Exactly one command line in one folder, with the same variables and other options. */
  | {
      readonly type: "exact-command";
      readonly text: string;
      readonly cwd: string;
      readonly variables: Readonly<Record<string, string>>;
      readonly print: string;
    }
  /** Matches commands of one program that start with these words and continue with arguments on the program's allow-list. */
  | { readonly type: "command-prefix"; readonly words: readonly string[] };

/** Returns the widest rule that a user who allows `command` would expect; undefined if the command's folder is outside the roots. */
export function proposedCommandRule({ text, cwd, variables, parts, print }: CommandSubject): CommandRule | undefined {
  if (!cwd.isInside) return undefined;
  const [part, next] = parts ?? [];
  if (part?.grant && !next) return { type: "command-prefix", words: [...part.grant] };
  return { type: "exact-command", text, cwd: cwd.real, variables, print };
}

export function allowsCommand(rule: CommandRule, command: CommandSubject): boolean {
  if (rule.type === "exact-command")
    return rule.print === command.print && rule.text === command.text && rule.cwd === command.cwd.real;
  return command.parts?.length === 1 && command.parts.every((part) => allowsPart(rule, part));
}

/** Returns whether an allow rule covers one program of a longer command. */
export function allowsPart(rule: CommandRule, { words, grant }: CommandPart): boolean {
  if (rule.type !== "command-prefix" || !grant) return false;
  return beginsWith(words, rule.words) && beginsWith(rule.words, grant);
}

/**
 * Returns whether a reject rule matches the command. A rule for a program matches if any program in the command line matches, with any
 * options.
 */
export function rejectsCommand(rule: CommandRule, command: CommandSubject): boolean {
  if (rule.type !== "command-prefix") return rule.text === command.text;
  return rule.words.length > 0 && (command.parts ?? []).some(({ words }) => beginsWith(words, rule.words));
}

export function describeCommandRule(rule: CommandRule): string {
  if (rule.type === "exact-command") {
    const set = Object.entries(rule.variables).map(([name, value]) => `${name}=${value}`);
    return set.length === 0
      ? l10n.t("run exactly {0} in {1}", rule.text, rule.cwd)
      : l10n.t("run exactly {0} in {1} with {2}", rule.text, rule.cwd, set.join(" "));
  }
  const text = commandGrantText(rule.words);
  return l10n.t("run {0} …", rule.words.join(" ")) + (text === undefined ? "" : `, ${text}`);
}

function beginsWith(words: readonly string[], first: readonly string[]): boolean {
  return first.length <= words.length && first.every((word, index) => word === words[index]);
}
