import { comparePositions, type Diagnostic, type RelatedPlace, type Severity } from "@symposium-dev/core";
import { toLocation, toRange, type Wire, wireList, wireObject, wireText } from "./wire-places.js";

/** As LSP numbers them, from 1. */
const severities: readonly Severity[] = ["error", "warning", "information", "hint"];

/** Diagnostics in the order of the text, each once: a server may both publish one and answer with it. */
export function toDiagnostics(items: readonly Wire[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return items
    .map(toDiagnostic)
    .filter((one) => {
      const key = JSON.stringify([one.range, one.message, one.code]);
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => comparePositions(a.range.start, b.range.start));
}

function toDiagnostic(item: Wire): Diagnostic {
  const { severity, code } = item;
  const source = wireText(item["source"]);
  const related = wireList(item["relatedInformation"])
    .map(toRelated)
    .filter((one) => one !== undefined);
  return {
    range: toRange(item["range"]),
    severity: (typeof severity === "number" ? severities[severity - 1] : undefined) ?? "error",
    message: wireText(item["message"]) ?? "",
    ...((typeof code === "string" || typeof code === "number") && { code: String(code) }),
    ...(source !== undefined && { source }),
    ...(related.length > 0 && { related }),
  };
}

function toRelated(item: Wire): RelatedPlace | undefined {
  const location = toLocation(wireObject(item["location"]));
  return location && { location, message: wireText(item["message"]) ?? "" };
}
