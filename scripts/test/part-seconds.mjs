// The seconds that each part took last, in the cache: the longest parts start first, and a run can tell its end.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../set-up.mjs";

const file = join(root, ".cache/test-seconds.json");

/** `parts` with the `seconds` that they took last, the longest first. */
export function longestFirst(parts) {
  const known = readSeconds();
  return parts
    .map((part) => ({ ...part, seconds: known[part.name] ?? part.seconds }))
    .sort((one, other) => other.seconds - one.seconds);
}

/** Stores what parts took, by name. */
export function storeSeconds(took) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify({ ...readSeconds(), ...Object.fromEntries(took) }, undefined, 1));
  renameSync(`${file}.new`, file);
}

/** A missing or damaged file costs the order alone. */
function readSeconds() {
  try {
    const stored = JSON.parse(readFileSync(file, "utf8"));
    return Object.fromEntries(Object.entries(stored).filter(([, seconds]) => Number.isFinite(seconds)));
  } catch {
    return {};
  }
}
