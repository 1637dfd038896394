import { compareVersions, type CrateVersion, parseVersion } from "./crate-version.js";

interface Bounds {
  readonly from: CrateVersion;
  /** Absent for no upper end. */
  readonly to?: CrateVersion;
  readonly includesFrom: boolean;
  readonly includesTo: boolean;
  /** The version as it was written, when it has a prerelease: only its own prereleases match then. */
  readonly named: CrateVersion | undefined;
}

/** A version requirement as cargo reads it: `1.2` is `^1.2`; `~`, `=`, `<`, `>`, `*` and commas work too. */
export interface VersionRequirement {
  readonly text: string;
  accepts(version: CrateVersion): boolean;
}

const partForm =
  /^(\^|~|=|<=|>=|<|>)?\s*(\d+|[*xX])(?:\.(\d+|[*xX]))?(?:\.(\d+|[*xX]))?(?:-([\dA-Za-z.-]+))?(?:\+[\dA-Za-z.-]+)?$/;

/** Undefined when `text` is no requirement. */
export function parseRequirement(text: string): VersionRequirement | undefined {
  const parts = text.split(",").map((part) => boundsOf(part.trim()));
  const bounds = parts.filter((part) => part !== undefined);
  if (bounds.length !== parts.length) return undefined;
  return {
    text: text.trim(),
    accepts: (version) => bounds.every((part) => isWithin(part, version)) && isReleased(bounds, version),
  };
}

function boundsOf(part: string): Bounds | undefined {
  const match = partForm.exec(part);
  if (!match) return undefined;
  const operator: string | undefined = match[1];
  const rest: readonly (string | undefined)[] = match.slice(2);
  const numbers: number[] = [];
  for (const text of rest.slice(0, 3)) {
    if (text === undefined || !/^\d/.test(text)) break;
    numbers.push(Number(text));
  }
  const hasWildcard = rest.slice(0, 3).some((text) => text !== undefined && !/^\d/.test(text));
  const prerelease = numbers.length === 3 ? rest[3] : undefined;
  const named = prerelease === undefined ? undefined : parseVersion(`${numbers.join(".")}-${prerelease}`);
  const from = named ?? full(numbers);
  const range = (to: CrateVersion | undefined): Bounds => ({ ...base, from, ...(to && { to }) });
  const base = { includesFrom: true, includesTo: false, named };
  if (numbers.length === 0) return { ...base, from: full([]) };
  switch (operator) {
    case undefined:
    case "^":
      return range(hasWildcard ? after(numbers, numbers.length - 1) : afterCaret(numbers));
    case "~":
      return range(after(numbers, Math.min(numbers.length, 2) - 1));
    case "=":
      return numbers.length === 3
        ? { ...base, from, to: from, includesTo: true }
        : range(after(numbers, numbers.length - 1));
    case ">=":
      return range(undefined);
    case ">":
      return numbers.length === 3
        ? { ...base, from, includesFrom: false }
        : { ...base, from: after(numbers, numbers.length - 1) };
    case "<":
      return { ...base, from: full([]), to: from };
    default:
      return numbers.length === 3
        ? { ...base, from: full([]), to: from, includesTo: true }
        : { ...base, from: full([]), to: after(numbers, numbers.length - 1) };
  }
}

function full([major = 0, minor = 0, patch = 0]: readonly number[]): CrateVersion {
  return { numbers: [major, minor, patch], prerelease: [] };
}

/** The first version with a larger number at `index`. */
function after(numbers: readonly number[], index: number): CrateVersion {
  return full(numbers.slice(0, index + 1).map((number, at) => (at === index ? number + 1 : number)));
}

/** The leftmost number above 0 may not change. */
function afterCaret(numbers: readonly number[]): CrateVersion {
  const first = numbers.findIndex((number) => number > 0);
  return after(numbers, first === -1 ? numbers.length - 1 : first);
}

function isWithin({ from, to, includesFrom, includesTo }: Bounds, version: CrateVersion): boolean {
  const above = compareVersions(version, from);
  if (above < 0 || (above === 0 && !includesFrom)) return false;
  const below = to === undefined ? -1 : compareVersions(version, to);
  return below < 0 || (below === 0 && includesTo);
}

/** A prerelease matches only a requirement that names a prerelease of the same three numbers. */
function isReleased(bounds: readonly Bounds[], version: CrateVersion): boolean {
  if (version.prerelease.length === 0) return true;
  return bounds.some(({ named }) => named?.numbers.join(".") === version.numbers.join("."));
}
