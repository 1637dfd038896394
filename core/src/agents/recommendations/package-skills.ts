import { plainText } from "../registry/registry-entry.js";
import type { OfferedExtension } from "./offered-extensions.js";

/** Ecosystems whose packages can contain skills. */
export type SkillOrigin = "crate" | "npm" | "python" | "go";

export interface PackageSkills {
  /** Key of the package, such as `npm:left-pad`, which is identical for all versions. */
  readonly key: string;
  /** Display name of the package, with its version. */
  readonly title: string;
  /** Parent folder of the skill folders; absolute, with links resolved. */
  readonly folder: string;
  /** Usable skills, sorted by name. */
  readonly skills: readonly PackageSkill[];
  readonly fileCount: number;
  readonly bytes: number;
  /** Hexadecimal SHA-256 of all files. A different digest requires a new answer from the user. */
  readonly digest: string;
  readonly problems: readonly string[];
}

interface PackageSkill {
  readonly name: string;
  /** Start of the SKILL.md description, for display. */
  readonly description: string;
}

/** User's answer about a package's skills; `changed` if the user allowed different content of the package. */
export type SkillsState = "new" | "changed" | "allowed" | "refused";

/** Skills of a package as offered to the user. An offer alone doesn't expose them to agents. */
export interface OfferedSkills extends Omit<OfferedExtension, "kind" | "distribution"> {
  readonly kind: "skills";
  readonly state: SkillsState;
  readonly skills: readonly PackageSkill[];
  /** Digest to pass to `recommendations allow`, so that only the displayed content gets allowed. */
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

/** Explains why a skill name is invalid. Undefined if it is valid. */
export function faultOfSkillName(name: string): string | undefined {
  if (name.length <= 64 && nameForm.test(name)) return undefined;
  return "its name must be at most 64 lower-case letters, digits and single hyphens";
}

/** Extracts the description from a SKILL.md as one display line. */
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
