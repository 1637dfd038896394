import { type CommandPart, commandGrantText } from "@symposium-dev/core/node";
import type { CommandSubject } from "./permission-subject.js";

/** Commands that a rule applies to. */
export type CommandRule =
  /** One command line, word for word, in one folder, with the variables and all else that it was asked with. */
  | {
      readonly type: "exact-command";
      readonly text: string;
      readonly cwd: string;
      readonly variables: Readonly<Record<string, string>>;
      readonly print: string;
    }
  /** One program with these first words and further ones of its allow-list. */
  | { readonly type: "command-prefix"; readonly words: readonly string[] };

/** The widest rule that says no more than a user who allows `command` would expect; undefined outside of the roots. */
export function proposedCommandRule({ text, cwd, variables, parts, print }: CommandSubject): CommandRule | undefined {
  if (!cwd.isInside) return undefined;
  const [part, next] = parts ?? [];
  if (part?.grant && !next) return { type: "command-prefix", words: [...part.grant] };
  return { type: "exact-command", text, cwd: cwd.real, variables, print };
}

/** Whether a rule that allows covers the command as a whole. */
export function allowsCommand(rule: CommandRule, command: CommandSubject): boolean {
  if (rule.type === "exact-command")
    return rule.print === command.print && rule.text === command.text && rule.cwd === command.cwd.real;
  return command.parts?.length === 1 && command.parts.every((part) => allowsPart(rule, part));
}

/** Whether a rule that allows covers one program of a longer command. */
export function allowsPart(rule: CommandRule, { words, grant }: CommandPart): boolean {
  if (rule.type !== "command-prefix" || !grant) return false;
  return beginsWith(words, rule.words) && beginsWith(rule.words, grant);
}

/** Whether a rule that rejects means the command: any program in it, whatever options it has. */
export function rejectsCommand(rule: CommandRule, command: CommandSubject): boolean {
  if (rule.type !== "command-prefix") return rule.text === command.text;
  return rule.words.length > 0 && (command.parts ?? []).some(({ words }) => beginsWith(words, rule.words));
}

/** What the rule says; the end of "Always allow the agent to …". */
export function describeCommandRule(rule: CommandRule): string {
  if (rule.type === "exact-command") {
    const set = Object.entries(rule.variables).map(([name, value]) => `${name}=${value}`);
    return `run exactly ${rule.text} in ${rule.cwd}${set.length === 0 ? "" : ` with ${set.join(" ")}`}`;
  }
  const text = commandGrantText(rule.words);
  return `run ${rule.words.join(" ")} …${text === undefined ? "" : `, ${text}`}`;
}

function beginsWith(words: readonly string[], first: readonly string[]): boolean {
  return first.length <= words.length && first.every((word, index) => word === words[index]);
}
