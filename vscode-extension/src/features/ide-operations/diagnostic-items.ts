import type { Diagnostic, RelatedPlace, Severity } from "@symposium-dev/core";
import type * as vscode from "vscode";
import * as z from "zod/mini";
import { toLocation, toRange } from "./places.js";

const maxRelated = 20;
/** By the number that VS Code gives them. */
const severities: readonly Severity[] = ["error", "warning", "information", "hint"];

/** A diagnostic of VS Code as the wire has it. */
export function toDiagnostic({
  range,
  message,
  severity,
  code,
  source,
  relatedInformation,
}: vscode.Diagnostic): Diagnostic {
  const value = typeof code === "object" ? code.value : code;
  const related = (relatedInformation ?? []).slice(0, maxRelated).map(toRelated);
  return {
    range: toRange(range),
    severity: severities[severity] ?? "error",
    message,
    ...(value === undefined ? {} : { code: String(value) }),
    ...(source === undefined ? {} : { source }),
    ...(related.length === 0 ? {} : { related }),
  };
}

function toRelated({ location, message }: vscode.DiagnosticRelatedInformation): RelatedPlace {
  return { location: toLocation(location), message };
}

const place = z.looseObject({ line: z.number(), offset: z.number() });
const tsDiagnostic = z.looseObject({
  start: place,
  end: place,
  text: z.string(),
  code: z.optional(z.number()),
  category: z.optional(z.string()),
  source: z.optional(z.string()),
});
const tsAnswer = z.looseObject({ body: z.array(tsDiagnostic) });

/** The diagnostics in an answer of TypeScript's own server; undefined for anything else. */
export function toTypeScriptDiagnostics(answer: unknown): readonly Diagnostic[] | undefined {
  const parsed = tsAnswer.safeParse(answer);
  if (!parsed.success) return undefined;
  return parsed.data.body.map(({ start, end, text, code, category, source = "ts" }) => ({
    range: { start: fromOne(start), end: fromOne(end) },
    severity: category === "warning" ? "warning" : category === "suggestion" ? "hint" : "error",
    message: text,
    ...(code === undefined ? {} : { code: String(code) }),
    source,
  }));
}

function fromOne({ line, offset }: z.infer<typeof place>): { line: number; character: number } {
  return { line: Math.max(line - 1, 0), character: Math.max(offset - 1, 0) };
}
