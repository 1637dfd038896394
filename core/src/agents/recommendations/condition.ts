import { asObject } from "../../base/rpc/json.js";
import type { Place } from "../../base/problem.js";
import { describeValue } from "../../settings/shape.js";
import type { PackageKind } from "./manifests.js";
import type { UsedCrates } from "./used-crates.js";
import type { UsedPackages } from "./used-packages.js";

export type Condition =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "crate"; readonly name: string }
  | { readonly kind: "package"; readonly of: PackageKind; readonly name: string }
  | { readonly kind: "all" | "any"; readonly conditions: readonly Condition[] };

export interface WorkspaceFacts {
  readonly crates: UsedCrates;
  readonly packages: UsedPackages;
  /** Paths returned by {@link filesOf} whose files exist. */
  readonly files: ReadonlySet<string>;
}

type Read = (value: unknown, place: Place) => Condition | null;

interface PackageNames {
  readonly of: PackageKind;
  readonly pattern: RegExp;
  /** Description of a valid name for display, such as `the path of a Go module`. */
  readonly wanted: string;
}

/** Packages of other languages, keyed by a part of their condition names, such as `npm-package` in `using-npm-package`. */
const packageNames: Readonly<Record<string, PackageNames>> = {
  "npm-package": {
    of: "npm",
    pattern: /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/,
    wanted: "the name of an npm package",
  },
  "python-package": { of: "python", pattern: /^[A-Za-z0-9][\w.-]*$/, wanted: "the name of a Python package" },
  "go-module": { of: "go", pattern: /^[\w.~-]+(?:\/[\w.~-]+)*$/, wanted: "the path of a Go module" },
  "java-package": { of: "maven", pattern: /^[\w.-]+:[\w.-]+$/, wanted: 'coordinates such as "group:artifact"' },
};

const conditions: Readonly<Record<string, Read>> = {
  "file-exists": readFile,
  "files-exist": readEach("all", readFile),
  "using-crate": readCrate,
  "using-crates": readEach("all", readCrate),
  ...packageConditions("", "all"),
  any: readEach("any", readCondition),
  all: readEach("all", readCondition),
};

/** Recommendation keys that are conditions. For a list, such as `when-using-crates`, one match is enough. */
export const conditionKeys: Readonly<Record<string, Read>> = {
  "when-using-crate": readCrate,
  "when-using-crates": readEach("any", readCrate),
  ...packageConditions("when-", "any"),
  when: readCondition,
};

/** Explains why the condition is true, as display lines. Undefined if it is false; for `any`, lists every true member. */
export function reasonsOf(condition: Condition, facts: WorkspaceFacts): readonly string[] | undefined {
  switch (condition.kind) {
    case "file":
      return facts.files.has(condition.path) ? [`the workspace has ${condition.path}`] : undefined;
    case "crate": {
      const used = facts.crates.describe(condition.name);
      return used === undefined ? undefined : [`you use the crate ${used}`];
    }
    case "package": {
      const used = facts.packages.describe(condition.of, condition.name);
      return used === undefined ? undefined : [`you use ${used}`];
    }
    case "all": {
      const all = condition.conditions.map((one) => reasonsOf(one, facts));
      return all.every((reasons) => reasons !== undefined) ? all.flat() : undefined;
    }
    case "any": {
      const held = condition.conditions.flatMap((one) => reasonsOf(one, facts) ?? []);
      return held.length > 0 ? held : undefined;
    }
  }
}

/** Paths of the files that a condition requires, relative to the workspace folder. */
export function filesOf(condition: Condition): readonly string[] {
  if (condition.kind === "file") return [condition.path];
  return "conditions" in condition ? condition.conditions.flatMap(filesOf) : [];
}

/** All members must be true. An unknown member is an error, because ignoring it would change the condition. */
function readCondition(value: unknown, place: Place): Condition | null {
  const table = asObject(value);
  const known = Object.keys(conditions).join(", ");
  if (!table) return place.report(`${place.label} must be a table, got ${describeValue(value)}.`, `Known: ${known}.`);
  if (Object.keys(table).length === 0) return place.report(`${place.label} has no condition.`, `Known: ${known}.`);
  const read = Object.entries(table).map(([name, given]) => {
    const child = place.child(name);
    const condition = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
    return condition ? condition(given, child) : child.report(`${child.label} is not known.`, `Known here: ${known}.`);
  });
  return combined("all", read);
}

function readEach(kind: "all" | "any", item: Read): Read {
  return (value, place) => {
    if (Array.isArray(value) && value.length > 0) {
      return combined(
        kind,
        value.map((one, index) => item(one, place.child(index))),
      );
    }
    return place.report(`${place.label} must be a non-empty list, got ${describeValue(value)}.`);
  };
}

function combined(kind: "all" | "any", read: readonly (Condition | null)[]): Condition | null {
  const usable = read.filter((condition) => condition !== null);
  const [first] = usable;
  if (!first || usable.length < read.length) return null;
  return usable.length === 1 ? first : { kind, conditions: usable };
}

/** Readers for `using-npm-package`, `using-npm-packages` and the equivalents for other package kinds. */
function packageConditions(prefix: string, ofList: "all" | "any"): Readonly<Record<string, Read>> {
  return Object.fromEntries(
    Object.entries(packageNames).flatMap(([middle, names]) => {
      const read: Read = (value, place) => readPackage(value, place, names);
      return [
        [`${prefix}using-${middle}`, read],
        [`${prefix}using-${middle}s`, readEach(ofList, read)],
      ];
    }),
  );
}

function readPackage(value: unknown, place: Place, { of, pattern, wanted }: PackageNames): Condition | null {
  if (typeof value === "string" && pattern.test(value)) return { kind: "package", of, name: value };
  return place.report(`${place.label} must be ${wanted}, got ${describeValue(value)}.`);
}

function readCrate(value: unknown, place: Place): Condition | null {
  if (typeof value === "string" && /^[A-Za-z0-9_][\w-]*$/.test(value)) return { kind: "crate", name: value };
  return place.report(`${place.label} must be the name of a crate, got ${describeValue(value)}.`);
}

/** Accepts only `/`-separated paths inside the workspace, so that recommendations can't probe other files. */
function readFile(value: unknown, place: Place): Condition | null {
  if (typeof value === "string" && isInnerPath(value)) return { kind: "file", path: value };
  return place.report(
    `${place.label} must be the path of a file in the workspace, got ${describeValue(value)}.`,
    'Write the path relative to the workspace folder, with "/" as the separator.',
  );
}

function isInnerPath(path: string): boolean {
  if (path === "" || /[\p{Cc}\\:]/u.test(path) || path.startsWith("/")) return false;
  return !path.split("/").includes("..");
}
