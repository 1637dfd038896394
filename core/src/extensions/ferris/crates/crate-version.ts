import { rcompare, satisfies, valid, validRange } from "semver";

/** A version requirement as cargo reads it: `1.2` is `^1.2`; `~`, `=`, `<`, `>`, `*` and commas work too. */
export interface VersionRequirement {
  readonly text: string;
  /** False also for what is no version. */
  accepts(version: string): boolean;
}

const partForm =
  /^(?<sign>\^|~|=|<=|>=|<|>)?\s*(?<numbers>\d+(?:\.\d+){0,2}|\d+(?:\.\d+)?(?:\.[*xX]){1,2}|[*xX](?:\.[*xX]){0,2})(?:-(?<prerelease>[\dA-Za-z.-]+))?(?:\+[\dA-Za-z.-]+)?$/;

/**
 * Undefined when `text` is no requirement. The rules are those of npm, but for the words: cargo joins requirements by commas
 * alone, and a version without a sign means what is compatible with it
 * (https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html).
 */
export function parseRequirement(text: string): VersionRequirement | undefined {
  const parts = text.split(",").map((part) => npmRange(part.trim()));
  if (parts.includes(undefined)) return undefined;
  const range = parts.join(" ");
  // Only a full version has prereleases: `1.2-rc` is a requirement for neither.
  if (validRange(range) === null) return undefined;
  return { text: text.trim(), accepts: (version) => satisfies(version, range) };
}

function npmRange(part: string): string | undefined {
  const { sign, numbers, prerelease } = partForm.exec(part)?.groups ?? {};
  if (numbers === undefined) return undefined;
  if (/^[*xX]/.test(numbers)) return "*";
  const hasWildcard = /[*xX]/.test(numbers);
  return `${sign ?? (hasWildcard ? "" : "^")}${numbers}${prerelease === undefined ? "" : `-${prerelease}`}`;
}

/** For sorting texts newest first; what is no version comes last. */
export function newestFirst(left: string, right: string): number {
  if (valid(left) !== null && valid(right) !== null) return rcompare(left, right);
  return Number(valid(right) !== null) - Number(valid(left) !== null);
}
