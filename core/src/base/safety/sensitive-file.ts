import { matchesStars } from "../star-pattern.js";
import { type SensitiveFile, sensitiveFiles } from "./sensitive-files.js";

/**
 * Returns the rule that covers a file. `names` are its path segments, outermost first; the first `below` segments lead to the project and
 * are ignored, so that a project inside `~/.config` isn't sensitive.
 */
export function sensitiveFile(names: readonly string[], below = 0): SensitiveFile | undefined {
  const plain = names.map(plainName);
  return rows.find(({ patterns, exceptions }) => covers(patterns, plain, below) && !covers(exceptions, plain, below))
    ?.row;
}

/** Normalizes a file name as the most lenient file systems do: ignores case, invisible characters, NTFS streams and trailing dots. */
export function plainName(name: string): string {
  return name
    .normalize("NFC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toUpperCase()
    .toLowerCase()
    .replace(/:.*$/s, "")
    .replace(/(?<![. ])[. ]+$/, "");
}

interface Pattern {
  /** Segments of a path pattern, in which `*` matches any characters. */
  readonly parts: readonly string[];
  readonly isFolder: boolean;
}

const rows = sensitiveFiles.map((row) => ({
  row,
  patterns: row.files.map(toPattern),
  exceptions: (row.except ?? []).map(toPattern),
}));

function toPattern(text: string): Pattern {
  const isFolder = text.endsWith("/");
  const parts = text.toLowerCase().replace(/\/$/, "").split("/");
  return { parts, isFolder };
}

function covers(patterns: readonly Pattern[], names: readonly string[], below: number): boolean {
  return patterns.some(({ parts, isFolder }) => {
    const first = isFolder ? Math.max(0, below - parts.length + 1) : names.length - parts.length;
    for (let start = first; start >= 0 && start + parts.length <= names.length; start++) {
      if (parts.every((part, index) => matchesStars(part, names[start + index] ?? ""))) return true;
    }
    return false;
  });
}
