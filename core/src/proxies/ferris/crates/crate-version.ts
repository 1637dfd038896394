/** A semantic version (https://semver.org). Build metadata is left out, as it has no say in the order. */
export interface CrateVersion {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  readonly prerelease: readonly string[];
}

const versionForm = /^(\d+)\.(\d+)\.(\d+)(?:-([\dA-Za-z.-]+))?(?:\+[\dA-Za-z.-]+)?$/;

/** Undefined when `text` is no full version. */
export function parseVersion(text: string): CrateVersion | undefined {
  const match = versionForm.exec(text.trim());
  if (!match) return undefined;
  const [, major, minor, patch, prerelease] = match;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    prerelease: prerelease === undefined ? [] : prerelease.split("."),
  };
}

/** Negative when `left` comes before `right`. */
export function compareVersions(left: CrateVersion, right: CrateVersion): number {
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

/** For sorting texts newest first; what is no version comes last. */
export function newestFirst(left: string, right: string): number {
  const [a, b] = [parseVersion(left), parseVersion(right)];
  if (a && b) return compareVersions(b, a);
  return Number(b !== undefined) - Number(a !== undefined);
}

function comparePrereleases(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return right.length - left.length;
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a, b] = [left[index], right[index]];
    if (a === undefined) return -1;
    if (b === undefined) return 1;
    const difference = compareIdentifiers(a, b);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}
