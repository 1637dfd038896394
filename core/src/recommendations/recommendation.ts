import { asObject } from "../rpc/json.js";
import type { Place } from "../settings/problem.js";
import { describeValue } from "../settings/shape.js";
import { type Condition, conditionKeys } from "./condition.js";
import { type ExtensionSource, readSource } from "./extension-source.js";

/** An extension of a recommendation is a proxy of the chain, or an MCP server of the session. */
export type ExtensionKind = "proxy" | "mcp";

/** One `[[recommendation]]`. */
export interface Recommendation {
  readonly kind: ExtensionKind;
  readonly source: ExtensionSource;
  /** All must hold; none means that it is for every workspace. */
  readonly conditions: readonly Condition[];
}

const known = ["source", "kind", ...Object.keys(conditionKeys)];

/**
 * Reads one recommendation. Null, with an error, for whatever is wrong in it, unknown keys among them: a misspelt
 * condition must not turn into none.
 */
export function readRecommendation(value: unknown, place: Place): Recommendation | null {
  const table = asObject(value);
  if (!table) return place.report(`${place.label} must be a table, got ${describeValue(value)}.`);
  const unknown = Object.keys(table).filter((name) => !known.includes(name));
  for (const name of unknown) {
    const child = place.child(name);
    child.report(`${child.label} is not known, so the recommendation is left out.`, `Known here: ${known.join(", ")}.`);
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
