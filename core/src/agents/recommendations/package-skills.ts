import { plainText } from "../registry/registry-entry.js";
import type { OfferedExtension } from "./offered-extensions.js";

/** The packages that can bring skills, by where they are from. */
export type SkillOrigin = "crate" | "npm" | "python" | "go";

/** A package that the workspace itself asks for, with skills in it. */
export interface PackageSkills {
  /** The same for all versions, such as `npm:left-pad`. */
  readonly key: string;
  /** The package for people, with its version. */
  readonly title: string;
  /** The folder that the folders of its skills are in: absolute, links followed. */
  readonly folder: string;
  /** Those that can be used, in the order of their names. */
  readonly skills: readonly PackageSkill[];
  readonly fileCount: number;
  readonly bytes: number;
  /** The sha256 of all of these files, in hexadecimal: other files are another content, which the user has not allowed. */
  readonly digest: string;
  /** Lines for people: why others cannot be used. */
  readonly problems: readonly string[];
}

interface PackageSkill {
  /** Its folder's name, as the standard wants it. */
  readonly name: string;
  /** The beginning of what its SKILL.md says of it, for people. */
  readonly description: string;
}

/** What the user has answered: `changed` where another content of the package was allowed. */
export type SkillsState = "new" | "changed" | "allowed" | "refused";

/** The skills of a package, as they are offered. They reach no agent by that. */
export interface OfferedSkills extends Omit<OfferedExtension, "kind" | "distribution"> {
  readonly kind: "skills";
  readonly state: SkillsState;
  readonly skills: readonly PackageSkill[];
  /** What `recommendations allow` takes, so that nothing is allowed but what was shown. */
  readonly digest: string;
}

export function offeredSkills(found: PackageSkills, state: SkillsState): OfferedSkills {
  const { key, title, folder, skills, fileCount, bytes, digest } = found;
  const [origin = "", ...name] = key.split(":");
  const names = skills.map((skill) => skill.name).join(", ");
  const size = `${fileCount === 1 ? "1 file" : `${fileCount} files`}, ${bytes} bytes`;
  return {
    id: key,
    kind: "skills",
    source: { [origin]: name.join(":") },
    title: plainText(`Skills of ${title}`),
    reasons: [
      plainText(`you use ${title}, which has ${skills.length === 1 ? "the skill" : "the skills"} ${names} (${size})`),
      ...(state === "changed" ? ["they have changed since you allowed them"] : []),
    ],
    from: [folder],
    alreadyEnabled: state === "allowed",
    state,
    skills,
    digest,
  };
}

const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Why a skill cannot have this name; undefined where it can. */
export function faultOfSkillName(name: string): string | undefined {
  if (name.length <= 64 && nameForm.test(name)) return undefined;
  return "its name is not of small letters, digits and single hyphens, at most 64";
}

/** What a SKILL.md says of itself, in one line for people. */
export function shownDescription(text: string): string {
  const [, matter = ""] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? [];
  const [, first = "", more = ""] = /^description:[ \t]*([^\r\n]*)((?:\r?\n[ \t]+[^\r\n]*)*)/m.exec(matter) ?? [];
  const words = /^[>|][+-]?\d*$/.test(first.trim()) ? more : `${first} ${more}`;
  return plainText(
    words
      .replace(/\s+/g, " ")
      .trim()
      .replace(/^(["'])(.*)\1$/, "$2"),
    200,
  );
}
