import { asObject } from "../rpc/json.js";
import { type LocatedProblem, Place, type Problem } from "../settings/problem.js";
import { describeValue, warnOfUnknown } from "../settings/shape.js";
import { readRecommendation, type Recommendation } from "./recommendation.js";
import { TomlDocument } from "./toml-document.js";

export interface ParsedRecommendations {
  readonly recommendations: readonly Recommendation[];
  /** In the order of the file. An error is about a recommendation that is left out, or about the file as a whole. */
  readonly problems: readonly LocatedProblem[];
  /** Whether the text is no TOML, so that nothing of it is known. */
  readonly isBroken: boolean;
}

/** Reads a recommendations file. Never throws; one that cannot be used does not cost the others. */
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

/** A file with one recommendation may write it as one table. */
function tablesOf(value: unknown, place: Place): (readonly [unknown, Place])[] {
  if (value === undefined) return [];
  if (asObject(value)) return [[value, place]];
  if (Array.isArray(value)) return value.map((table, index) => [table, place.child(index)]);
  place.report(`${place.label} must be a list of tables, got ${describeValue(value)}.`, "Write [[recommendation]].");
  return [];
}
