import { stat } from "node:fs/promises";
import { join } from "node:path";
import { assertNoFault, SymposiumError } from "../../base/symposium-error.js";
import { atomicWrite, readIfThere } from "../../base/node/atomic-write.js";
import { FileLock } from "../../base/node/file-lock.js";
import { withItem, withoutItems, withoutSetting, withSetting } from "../../settings/settings-edit.js";
import { levelFault } from "../../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../../settings/managed-policy/node/system-policy.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import { type Effect, type GuardFile, parseGuardFile, type RuleSubject } from "../guard-rule.js";
import type { AllowConditions } from "../allow-conditions.js";
import { guardFileName } from "./guard-rule-files.js";

/** A rule to save in guard.jsonc. */
export interface NewRule extends AllowConditions {
  readonly effect: Effect;
  readonly subject: RuleSubject;
  /** Patterns of the rule; at least one. */
  readonly patterns: readonly string[];
  /** Folder whose sessions the rule applies to, absolute or with `~/`; undefined means all. */
  readonly in?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * Adds a rule to guard.jsonc in the folder `config` and preserves all other text, including comments. Rejects with `invalid-config` if the
 * rule is invalid, or if the file is broken or read-only.
 */
export async function saveRule(config: string, rule: NewRule): Promise<void> {
  refuseUnreadable([rule]);
  await editGuardFile(config, (text, file) => withItem(text, ["rules"], memberOf(rule), file, "line"));
}

/**
 * Adds the rules that don't exist yet, and then re-reads the file to verify that they apply. If the file has an error, rejects without
 * changing it, since its allow rules wouldn't apply.
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
        `A guard file with an error allows nothing: ${fault}`,
        "Mend it first.",
      );
    }
    return missingIn(text).reduce((all, rule) => withItem(all, ["rules"], memberOf(rule), file, "line"), text);
  });
  const [lost] = missingIn(await textOf(file));
  if (lost) {
    throw new SymposiumError(
      "invalid-config",
      `The rule ${JSON.stringify(memberOf(lost))} is not in effect in ${file}.`,
    );
  }
}

/**
 * Removes a rule from the user's guard.jsonc and keeps all other text; the rule's reason needn't match. Rejects with `invalid-config` if
 * there is no such rule, or if the file is broken or read-only.
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

/** Throws if one of the new rules is invalid. Called before the file is read. */
function refuseUnreadable(rules: readonly NewRule[]): void {
  const [problem] = parse(JSON.stringify({ rules: rules.map(memberOf) }), guardFileName).problems;
  if (problem !== undefined) throw new SymposiumError("invalid-config", withoutPlace(problem));
}

/** Returns a rule as the JSON object to write into the file. */
function memberOf({ effect, subject, patterns, ...more }: NewRule): Readonly<Record<string, unknown>> {
  const [first, ...others] = patterns;
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  return { effect, [subject]: others.length === 0 ? first : patterns, ...Object.fromEntries(given) };
}

/** Returns a key for comparing rules. Equal rules have equal keys. */
function keyOf({ effect, subject, patterns, agent, kind, exact, cwd, reason, in: folder }: NewRule): string {
  return JSON.stringify([effect, subject, patterns, agent, kind, exact, cwd, reason, folder]);
}

/**
 * Saves an agent's protection level in the user's guard.jsonc, or removes it if `level` is undefined. Has the same errors as {@link
 * saveRule}; rejects with `forbidden-by-policy` if the level is too weak for the organisation, and without changes if `signal` is aborted before the file is replaced.
 */
export async function saveLevel(
  config: string,
  agent: string,
  level: ProtectionLevel | undefined,
  signal?: AbortSignal,
): Promise<void> {
  if (level !== undefined) assertNoFault("forbidden-by-policy", levelFault(await systemPolicy(), level));
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
    throw new SymposiumError("invalid-config", `${file} would become invalid with it: ${withoutPlace(added)}`);
  }
  await refuseUnwritable(file);
  await atomicWrite(file, edited, {
    beforeReplacing: async () => {
      // Compare the text again, since editors don't use the lock.
      if ((await textOf(file)) !== text) {
        throw new SymposiumError("invalid-config", `${file} changed while it was being edited.`, "Try again.");
      }
      signal?.throwIfAborted();
    },
  });
}

async function textOf(file: string): Promise<string> {
  return (await readIfThere(file)) ?? "";
}

/** Throws if the file is read-only, although it could technically be replaced. */
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

/** Returns a problem without its line number, which changes if lines are added above. */
function withoutPlace(problem: string): string {
  return problem.replace(/^.*?:\d+:\d+: /, "");
}
