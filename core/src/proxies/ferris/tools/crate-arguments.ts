import type { LocatedCrate } from "../crates/crate-locator.js";

/** Properties that every tool about a crate has. */
export const crateProperties = {
  crate_name: { type: "string", minLength: 1, description: "Name of the crate, such as serde_json." },
  version: {
    type: "string",
    description:
      'Cargo version requirement, such as "1.2" (any 1.x from 1.2 on), "=1.2.3" (exactly that) or "latest". ' +
      "Leave it out to get the version this workspace uses.",
  },
} as const;

/** A string argument; undefined when it is absent or blank. */
export function textArgument(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** A number argument, or what holds without it. */
export function numberArgument(args: Readonly<Record<string, unknown>>, name: string, otherwise: number): number {
  const value = args[name];
  return typeof value === "number" ? value : otherwise;
}

/** The line that tells which version an answer is about, and why. */
export function versionLine({ name, version, why }: LocatedCrate): string {
  return `${name} ${version}: ${why}.`;
}
