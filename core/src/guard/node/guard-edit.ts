import { stat } from "node:fs/promises";
import { join } from "node:path";
import { SymposiumError } from "../../base/symposium-error.js";
import { atomicWrite, readIfThere } from "../../base/node/atomic-write.js";
import { FileLock } from "../../base/node/file-lock.js";
import { withItem } from "../../settings/config-edit.js";
import { withoutItems, withoutSetting, withSetting } from "../../settings/settings-edit.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import { type Effect, type GuardFile, parseGuardFile, type RuleSubject } from "../guard-rule.js";
import type { AllowConditions } from "../allow-conditions.js";
import { guardFileName } from "./guard-files.js";

/** A rule to be written. */
export interface NewRule extends AllowConditions {
  readonly effect: Effect;
  readonly subject: RuleSubject;
  /** At least one. */
  readonly patterns: readonly string[];
  /** The folder whose sessions it holds for, absolute or from `~/` on; everywhere when absent. */
  readonly in?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * Adds a rule to the user's guard.jsonc in the folder `config`. What stands in the file stays, comments included. Rejects with
 * `invalid-config` where the rule is none, whatever the file holds, and where the file is broken or may not be written.
 */
export async function saveRule(config: string, rule: NewRule): Promise<void> {
  refuseUnreadable([rule]);
  await editGuardFile(config, (text, file) => withItem(text, "rules", memberOf(rule), file));
}

/**
 * The same for several rules, but for those that are there. When it resolves, all of them have been read from the file again and
 * hold; a file with a fault, by which nothing is allowed, is left as it is.
 */
export async function saveRules(config: string, rules: readonly NewRule[]): Promise<void> {
  refuseUnreadable(rules);
  const file = join(config, guardFileName);
  const missingIn = (text: string): readonly NewRule[] => {
    const there = new Set(parse(text, file).rules.map(keyOf));
    return rules.filter((rule) => !there.has(keyOf(rule)));
  };
  await editGuardFile(config, (text) => {
    const [fault] = parse(text, file).problems;
    if (fault !== undefined) {
      throw new SymposiumError(
        "invalid-config",
        `Nothing is allowed by a file with a fault: ${fault}`,
        "Mend it first.",
      );
    }
    return missingIn(text).reduce((all, rule) => withItem(all, "rules", memberOf(rule), file), text);
  });
  const [lost] = missingIn(await textOf(file));
  if (lost) {
    throw new SymposiumError("invalid-config", `The rule ${JSON.stringify(memberOf(lost))} does not hold in ${file}.`);
  }
}

/**
 * Takes a rule out of the user's guard.jsonc that says this, whatever its reason. All else stays. Rejects with `invalid-config` where there
 * is none, or the file is broken or may not be written.
 */
export async function removeRule(config: string, rule: NewRule): Promise<void> {
  const wanted = keyOf({ ...rule, reason: undefined });
  await editGuardFile(config, (text, file) => {
    const isWanted = (item: unknown): boolean => {
      const [one] = parse(JSON.stringify({ rules: [item] }), file).rules;
      return one !== undefined && keyOf({ ...one, reason: undefined }) === wanted;
    };
    const edited = withoutItems(text, ["rules"], isWanted, file);
    if (edited !== text) return edited;
    throw new SymposiumError("invalid-config", `${file} has no such rule: ${JSON.stringify(memberOf(rule))}`);
  });
}

/** What is wrong with a rule is said before its file is looked at, and of the rule alone. */
function refuseUnreadable(rules: readonly NewRule[]): void {
  const [problem] = parse(JSON.stringify({ rules: rules.map(memberOf) }), guardFileName).problems;
  if (problem !== undefined) throw new SymposiumError("invalid-config", withoutPlace(problem));
}

/** As the file has it. */
function memberOf({ effect, subject, patterns, ...more }: NewRule): Readonly<Record<string, unknown>> {
  const [first, ...others] = patterns;
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  return { effect, [subject]: others.length === 0 ? first : patterns, ...Object.fromEntries(given) };
}

/** Two rules that say the same have the same. */
function keyOf({ effect, subject, patterns, agent, kind, exact, cwd, reason, in: folder }: NewRule): string {
  return JSON.stringify([effect, subject, patterns, agent, kind, exact, cwd, reason, folder]);
}

/**
 * Has an agent held so by the user's guard.jsonc, or, where `level` is undefined, no longer by it. Otherwise as {@link saveRule}. Rejects,
 * with the file as it was, where `signal` is aborted before the new one takes its place.
 */
export async function saveLevel(
  config: string,
  agent: string,
  level: ProtectionLevel | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const edit = (text: string, file: string): string =>
    level === undefined
      ? withoutSetting(text, ["agents", agent], file)
      : withSetting(text, ["agents", agent], level, file);
  await editGuardFile(config, edit, signal);
}

async function editGuardFile(
  config: string,
  edit: (text: string, file: string) => string,
  signal?: AbortSignal,
): Promise<void> {
  const file = join(config, guardFileName);
  await using _lock = await FileLock.take(file, { signal });
  const text = await textOf(file);
  const edited = edit(text, file);
  if (edited === text) return;
  const known = new Set(parse(text, file).problems.map(withoutPlace));
  const added = parse(edited, file).problems.find((problem) => !known.has(withoutPlace(problem)));
  if (added !== undefined) {
    throw new SymposiumError("invalid-config", `${file} would have a fault with it: ${withoutPlace(added)}`);
  }
  await refuseUnwritable(file);
  await atomicWrite(file, edited, {
    beforeReplacing: async () => {
      // An editor takes no lock.
      if ((await textOf(file)) !== text) {
        throw new SymposiumError("invalid-config", `${file} was changed meanwhile.`, "Try again.");
      }
      signal?.throwIfAborted();
    },
  });
}

async function textOf(file: string): Promise<string> {
  return (await readIfThere(file)) ?? "";
}

/** A file that nobody may write is left alone, although another could take its place. */
async function refuseUnwritable(file: string): Promise<void> {
  const mode = await stat(file).then(
    (stats) => stats.mode,
    () => 0o200,
  );
  if ((mode & 0o222) === 0) {
    throw new SymposiumError("invalid-config", `${file} is read-only.`, "Make it writable to change it from here.");
  }
}

function parse(text: string, file: string): GuardFile {
  return parseGuardFile(text, { file, isOfProject: false });
}

/** Lines move when something is added before them. */
function withoutPlace(problem: string): string {
  return problem.replace(/^.*?:\d+:\d+: /, "");
}
