import { asObject } from "../../base/rpc/json.js";
import { Place, type LocatedProblem, type Problem } from "../../base/problem.js";
import { describeValue, warnOfUnknown } from "../../settings/shape.js";
import { type Condition, conditionKeys } from "./condition.js";
import { type ExtensionSource, readSource } from "./extension-source.js";
import { TomlDocument } from "./toml-document.js";

/** `proxy`: part of the conductor's chain. `mcp`: MCP server of the session. */
export type ExtensionKind = "proxy" | "mcp";

export interface Recommendation {
  readonly kind: ExtensionKind;
  readonly source: ExtensionSource;
  /** Conditions that must all be true; an empty list matches every workspace. */
  readonly conditions: readonly Condition[];
}

const known = ["source", "kind", ...Object.keys(conditionKeys)];

/**
 * Parses one recommendation. Returns null with an error for any fault, including unknown keys, because dropping a misspelled condition
 * would recommend the extension everywhere.
 */
export function readRecommendation(value: unknown, place: Place): Recommendation | null {
  const table = asObject(value);
  if (!table) return place.report(`${place.label} must be a table, got ${describeValue(value)}.`);
  const unknown = Object.keys(table).filter((name) => !known.includes(name));
  for (const name of unknown) {
    const child = place.child(name);
    child.report(`${child.label} is unknown, so the recommendation was skipped.`, `Known here: ${known.join(", ")}.`);
  }
  const kind = readKind(table["kind"], place.child("kind"));
  const source = readSource(table["source"], place.child("source"));
  const conditions = Object.entries(conditionKeys).flatMap(([name, read]) =>
    Object.hasOwn(table, name) ? [read(table[name], place.child(name))] : [],
  );
  const usable = conditions.filter((condition) => condition !== null);
  if (!kind || !source || unknown.length > 0 || usable.length < conditions.length) return null;
  return { kind, source, conditions: usable };
}

function readKind(value: unknown, place: Place): ExtensionKind | null {
  const kind = typeof value === "string" ? value.toLowerCase() : (value ?? "proxy");
  if (kind === "proxy" || kind === "mcp") return kind;
  return place.report(`${place.label} must be "proxy" or "mcp", got ${describeValue(value)}.`);
}

export interface ParsedRecommendations {
  readonly recommendations: readonly Recommendation[];
  /** Problems in file order. Each error refers to a skipped recommendation or to the whole file. */
  readonly problems: readonly LocatedProblem[];
  readonly isBroken: boolean;
}

/** Parses a recommendations file. Never throws; an invalid recommendation doesn't affect the others. */
export function parseRecommendations(text: string): ParsedRecommendations {
  const document = TomlDocument.parse(text);
  if (!document.value) {
    return { recommendations: [], problems: document.problem ? [document.problem] : [], isBroken: true };
  }
  const found: Problem[] = [];
  const place = new Place(found);
  warnOfUnknown(document.value, ["recommendation"], place);
  const tables = tablesOf(document.value["recommendation"], place.child("recommendation"));
  const recommendations = tables.flatMap(([table, at]) => readRecommendation(table, at) ?? []);
  const problems = found.map((problem) => document.locate(problem));
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { recommendations, problems, isBroken: false };
}

/** A file with a single recommendation may use `[recommendation]` instead of `[[recommendation]]`. */
function tablesOf(value: unknown, place: Place): (readonly [unknown, Place])[] {
  if (value === undefined) return [];
  if (asObject(value)) return [[value, place]];
  if (Array.isArray(value)) return value.map((table, index) => [table, place.child(index)]);
  place.report(`${place.label} must be a list of tables, got ${describeValue(value)}.`, "Write [[recommendation]].");
  return [];
}
