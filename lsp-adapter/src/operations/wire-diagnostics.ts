import {
  comparePositions,
  type Diagnostic,
  fileUri,
  type RelatedPlace,
  type Severity,
  stringOf,
  textOf,
} from "@symposium-dev/core";
import { toLocation, toRange, type Wire, wireList, wireObject } from "./wire-places.js";

/** Severities in the order of LSP's numbers, which start at 1. */
const severities: readonly Severity[] = ["error", "warning", "information", "hint"];

/** Returns diagnostics in text order without duplicates, since a server may both publish and return one. */
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
  const source = stringOf(item["source"]);
  const related = wireList(item["relatedInformation"])
    .map(toRelated)
    .filter((one) => one !== undefined);
  return {
    range: toRange(item["range"]),
    severity: (typeof severity === "number" ? severities[severity - 1] : undefined) ?? "error",
    message: textOf(item["message"]),
    ...((typeof code === "string" || typeof code === "number") && { code: String(code) }),
    ...(source !== undefined && { source }),
    ...(related.length > 0 && { related }),
  };
}

function toRelated(item: Wire): RelatedPlace | undefined {
  const location = toLocation(wireObject(item["location"]));
  return location && { location, message: textOf(item["message"]) };
}

const commands = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];
/** LSP's severities by tsserver's categories. */
const tsserverSeverities: Readonly<Record<string, number>> = { error: 1, warning: 2, message: 3, suggestion: 4 };

/** Returns parameters of `workspace/executeCommand` with which typescript-language-server asks its tsserver about a document. */
export function tsserverQuestions(uri: string): readonly object[] {
  return commands.map((command) => ({
    command: "typescript.tsserverRequest",
    arguments: [command, { file: uri }, { lowPriority: false }],
  }));
}

/**
 * Converts tsserver's answer, in which lines and columns start at 1, to LSP diagnostics; undefined if the answer contains no diagnostics
 * list.
 */
export function tsserverDiagnostics(answer: unknown): readonly Wire[] | undefined {
  const { body } = wireObject(answer);
  if (!Array.isArray(body)) return undefined;
  return wireList(body).map((item) => ({
    range: rangeOf(item),
    message: textOf(item["text"]),
    severity: tsserverSeverities[textOf(item["category"])] ?? 1,
    code: item["code"],
    source: stringOf(item["source"]) ?? "typescript",
    relatedInformation: wireList(item["relatedInformation"]).map(relatedOf),
  }));
}

function relatedOf(item: Wire): Wire {
  const span = wireObject(item["span"]);
  const location = { uri: fileUri(textOf(span["file"])), range: rangeOf(span) };
  return { location, message: item["message"] };
}

function rangeOf({ start, end }: Wire): Wire {
  return { start: positionOf(start), end: positionOf(end) };
}

function positionOf(value: unknown): Wire {
  const { line, offset } = wireObject(value);
  return { line: Number(line) - 1, character: Number(offset) - 1 };
}
