import { list, object, oneOf, optional, type Read, text } from "./reader.js";
import { location, range } from "./place.js";

/** Severities, sorted from most to least severe. */
export const severities = ["error", "warning", "information", "hint"] as const;
export type Severity = (typeof severities)[number];

const related = object({ location, message: text });
export type RelatedPlace = Read<typeof related>;

const diagnostic = object({
  range,
  severity: oneOf(...severities),
  message: text,
  code: optional(text),
  source: optional(text),
  related: optional(list(related)),
});
export type Diagnostic = Read<typeof diagnostic>;

/** All diagnostics of one file; an empty list means the file is clean. */
export const fileDiagnostics = object({ uri: text, diagnostics: list(diagnostic) });
export type FileDiagnostics = Read<typeof fileDiagnostics>;
