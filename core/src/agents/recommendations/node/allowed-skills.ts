import type { TrustFile } from "../../../settings/trust/node/trust-file.js";
import type { TrustRecord } from "../../../settings/trust/trust-record.js";
import { type OfferedSkills, offeredSkills, type PackageSkills, type SkillsState } from "../package-skills.js";
import { findPackageSkills } from "./find-package-skills.js";

/** Prefix that marks answers about package skills in trust.json; other answers start with a file path. */
const answerPrefix = "skills of ";

/** User's answers about package skills, stored in trust.json. Changed content requires a new answer. */
export class SkillAnswers {
  constructor(private readonly store: Pick<TrustFile, "read" | "keepAnswer" | "refuseAnswers">) {}

  async stateOf({ key, digest }: Pick<PackageSkills, "key" | "digest">): Promise<SkillsState> {
    const about = (await this.#answers()).filter(({ file }) => file === answerPrefix + key);
    const same = about.find(({ component }) => component === digest);
    if (same) return same.isAllowed ? "allowed" : "refused";
    return about.some(({ isAllowed }) => isAllowed) ? "changed" : "new";
  }

  /** A denial also revokes answers for other content of the package, such as earlier versions. */
  async keep({ key, digest }: Pick<PackageSkills, "key" | "digest">, isAllowed: boolean): Promise<void> {
    if (!isAllowed) await this.takeBack(key);
    await this.store.keepAnswer(answerPrefix + key, digest, isAllowed);
  }

  /** Denies all package content about which the user has answered. Returns false if there are no answers about the package. */
  async takeBack(key: string): Promise<boolean> {
    const file = answerPrefix + key;
    await this.store.refuseAnswers(file);
    return (await this.#answers()).some((one) => one.file === file);
  }

  /** Returns the keys of packages with allowed content. If the file can't be read, nothing is allowed. */
  async allowedKeys(): Promise<ReadonlySet<string>> {
    const allowed = (await this.#answers()).filter(({ isAllowed }) => isAllowed);
    return new Set(allowed.map(({ file }) => file.slice(answerPrefix.length)));
  }

  async #answers(): Promise<TrustRecord["components"]> {
    const record = await this.store.read().catch(() => undefined);
    return (record?.components ?? []).filter(({ file }) => file.startsWith(answerPrefix));
  }
}

/** Lists the packages used in a folder whose current skills the user has allowed. Never rejects. */
export async function allowedPackageSkills(
  workspace: string,
  env: NodeJS.ProcessEnv,
  answers: SkillAnswers,
): Promise<readonly PackageSkills[]> {
  const keys = await answers.allowedKeys();
  // Most users have allowed no package skills; this avoids reading workspace files for these users.
  if (keys.size === 0) return [];
  const found = await findPackageSkills({ workspace, env, wanted: keys });
  const states = await Promise.all(found.map((one) => answers.stateOf(one)));
  return found.filter((_one, index) => states[index] === "allowed");
}

/** Lists the skills of used packages that the user hasn't denied, and the problems found in any package. */
export async function offeredPackageSkills(
  workspace: string,
  env: NodeJS.ProcessEnv,
  answers: SkillAnswers,
): Promise<{ readonly skills: readonly OfferedSkills[]; readonly warnings: readonly string[] }> {
  const found = await findPackageSkills({ workspace, env });
  const states = await Promise.all(found.map((one) => answers.stateOf(one)));
  const usable = found.map((one, index) => offeredSkills(one, states[index] ?? "new"));
  return {
    skills: usable.filter(({ skills, state }) => skills.length > 0 && state !== "refused"),
    warnings: found.flatMap(({ problems }) => problems),
  };
}
