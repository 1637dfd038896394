import { asObject } from "../rpc/json.js";
import { fault, type Fault } from "../settings/fault.js";
import { TomlDocument } from "./toml-document.js";
import type { UsedCrate } from "./used-crates.js";

/** The crates that others depend on, by the text of a `Cargo.lock`. Never throws; the fault has the line. */
export function lockedCrates(text: string): readonly UsedCrate[] | Fault {
  const { value, problem } = TomlDocument.parse(text);
  if (!value) return fault(`line ${problem?.line ?? 1}: ${problem?.message ?? "it is empty."}`);
  const listed = value["package"];
  const packages = (Array.isArray(listed) ? listed : []).flatMap(toPackage);
  const needed = new Set(packages.flatMap(({ dependencies }) => dependencies));
  return packages
    .filter(({ name, version }) => needed.has(name) || needed.has(`${name} ${version}`))
    .map(({ name, version }) => ({ name, version }));
}

interface LockedPackage extends UsedCrate {
  /** A name, with a version where several are locked. */
  readonly dependencies: readonly string[];
}

function toPackage(value: unknown): LockedPackage[] {
  const { name, version, dependencies } = asObject(value) ?? {};
  if (typeof name !== "string" || typeof version !== "string") return [];
  const needed = (Array.isArray(dependencies) ? dependencies : []).flatMap((one: unknown) =>
    // The third word is the registry, where even name and version leave it open.
    typeof one === "string" ? [one.split(" ", 2).join(" ")] : [],
  );
  return [{ name, version, dependencies: needed }];
}
