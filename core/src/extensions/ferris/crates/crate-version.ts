import { rcompare, satisfies, valid, validRange } from "semver";

/** A version requirement in cargo's syntax: `1.2` means `^1.2`; `~`, `=`, `<`, `>`, `*` and commas work. */
export interface VersionRequirement {
  readonly text: string;
  /** Returns false for an invalid version. */
  accepts(version: string): boolean;
}

const partForm =
  /^(?<sign>\^|~|=|<=|>=|<|>)?\s*(?<numbers>\d+(?:\.\d+){0,2}|\d+(?:\.\d+)?(?:\.[*xX]){1,2}|[*xX](?:\.[*xX]){0,2})(?:-(?<prerelease>[\dA-Za-z.-]+))?(?:\+[\dA-Za-z.-]+)?$/;

/**
 * Parses a requirement; undefined if invalid. Cargo's rules are those of npm, except that commas join requirements and a plain version
 * means a compatible one (https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html).
 */
export function parseRequirement(text: string): VersionRequirement | undefined {
  const parts = text.split(",").map((part) => npmRange(part.trim()));
  if (parts.includes(undefined)) return undefined;
  const range = parts.join(" ");
  // Only complete versions can have prereleases, so neither tool accepts `1.2-rc`.
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

/** Compares versions for sorting, newest first. Invalid versions come last. */
export function newestFirst(left: string, right: string): number {
  if (valid(left) !== null && valid(right) !== null) return rcompare(left, right);
  return Number(valid(right) !== null) - Number(valid(left) !== null);
}
