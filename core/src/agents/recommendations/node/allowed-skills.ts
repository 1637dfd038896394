import type { TrustFile } from "../../../settings/trust/node/trust-file.js";
import type { TrustRecord } from "../../../settings/trust/trust-record.js";
import { type OfferedSkills, offeredSkills, type PackageSkills, type SkillsState } from "../package-skills.js";
import { findPackageSkills } from "./find-package-skills.js";

/** What the answers about packages' skills begin with, in place of the path of a file. */
const answerPrefix = "skills of ";

/** Which content of packages' skills the user has allowed, in trust.json. Another content is asked about again. */
export class SkillAnswers {
  constructor(private readonly store: Pick<TrustFile, "read" | "keepAnswer" | "refuseAnswers">) {}

  async stateOf({ key, digest }: Pick<PackageSkills, "key" | "digest">): Promise<SkillsState> {
    const about = (await this.#answers()).filter(({ file }) => file === answerPrefix + key);
    const same = about.find(({ component }) => component === digest);
    if (same) return same.isAllowed ? "allowed" : "refused";
    return about.some(({ isAllowed }) => isAllowed) ? "changed" : "new";
  }

  /** A refusal takes back what was allowed of other contents of the package, as of its earlier versions. */
  async keep({ key, digest }: Pick<PackageSkills, "key" | "digest">, isAllowed: boolean): Promise<void> {
    if (!isAllowed) await this.takeBack(key);
    await this.store.keepAnswer(answerPrefix + key, digest, isAllowed);
  }

  /** Refuses all contents of a package that were answered about; false where there are none. */
  async takeBack(key: string): Promise<boolean> {
    const file = answerPrefix + key;
    await this.store.refuseAnswers(file);
    return (await this.#answers()).some((one) => one.file === file);
  }

  /** The keys of packages of which some content is allowed. A file that cannot be read allows nothing. */
  async allowedKeys(): Promise<ReadonlySet<string>> {
    const allowed = (await this.#answers()).filter(({ isAllowed }) => isAllowed);
    return new Set(allowed.map(({ file }) => file.slice(answerPrefix.length)));
  }

  async #answers(): Promise<TrustRecord["components"]> {
    const record = await this.store.read().catch(() => undefined);
    return (record?.components ?? []).filter(({ file }) => file.startsWith(answerPrefix));
  }
}

/** The packages that a folder uses whose skills, as they are now, the user has allowed. Never rejects. */
export async function allowedPackageSkills(
  workspace: string,
  env: NodeJS.ProcessEnv,
  answers: SkillAnswers,
): Promise<readonly PackageSkills[]> {
  const keys = await answers.allowedKeys();
  // Most users have none, and no file of the workspace is read for them.
  if (keys.size === 0) return [];
  const found = await findPackageSkills({ workspace, env, wanted: keys });
  const states = await Promise.all(found.map((one) => answers.stateOf(one)));
  return found.filter((_one, index) => states[index] === "allowed");
}

/** The skills of packages that a folder uses, apart from those that the user has refused, and what is wrong with others. */
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
