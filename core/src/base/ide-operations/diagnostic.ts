import { list, object, oneOf, optional, type Reader, text } from "./reader.js";
import { type Location, location, type Range, range } from "./place.js";

/** Severities, sorted from most to least severe. */
export const severities = ["error", "warning", "information", "hint"] as const;
export type Severity = (typeof severities)[number];

export interface Diagnostic {
  readonly range: Range;
  readonly severity: Severity;
  readonly message: string;
  readonly code?: string;
  readonly source?: string;
  readonly related?: readonly RelatedPlace[];
}

export interface RelatedPlace {
  readonly location: Location;
  readonly message: string;
}

/** All diagnostics of one file; an empty list means the file is clean. */
export interface FileDiagnostics {
  readonly uri: string;
  readonly diagnostics: readonly Diagnostic[];
}

const related: Reader<RelatedPlace> = object<RelatedPlace>({ location, message: text });

const diagnostic: Reader<Diagnostic> = object<Diagnostic>({
  range,
  severity: oneOf(...severities),
  message: text,
  code: optional(text),
  source: optional(text),
  related: optional(list(related)),
});

export const fileDiagnostics: Reader<FileDiagnostics> = object<FileDiagnostics>({
  uri: text,
  diagnostics: list(diagnostic),
});
