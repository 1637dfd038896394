import { asObject, type Members, objectsOf, textOf } from "../../base/rpc/json.js";

/** A message of the compiler or a lint from `cargo --message-format=json`. */
export interface Diagnostic {
  readonly level: "error" | "warning" | "note";
  readonly code: string | undefined;
  readonly message: string;
  /** Position of the primary span, or of the macro call that produced it. */
  readonly place: DiagnosticPlace | undefined;
  /** Label of the primary span. */
  readonly label: string | undefined;
  /** Labels of the other spans. */
  readonly related: readonly Related[];
  readonly notes: readonly string[];
  readonly helps: readonly Help[];
  /** The complete message as the compiler prints it. */
  readonly rendered: string;
}

export interface DiagnosticPlace {
  /** Path from the compiler: relative to the workspace root, or absolute. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in characters. */
  readonly column: number;
}

interface Related {
  readonly place: DiagnosticPlace;
  readonly label: string;
}

export interface Help {
  readonly message: string;
  /** Text changes that the help suggests. */
  readonly edits: readonly Edit[];
}

export interface Edit {
  readonly place: DiagnosticPlace;
  readonly isInsertion: boolean;
  readonly replacement: string;
}

/** Parses the `message` of a `compiler-message`. Returns undefined for a summary such as "aborting due to 2 previous errors". */
export function toDiagnostic(message: Members): Diagnostic | undefined {
  const level = levelOf(textOf(message["level"]));
  const text = textOf(message["message"]);
  if (level === undefined || isSummary(text)) return undefined;
  const spans = objectsOf(message["spans"]);
  const primary = spans.find((span) => span["is_primary"] === true) ?? spans[0];
  const children = objectsOf(message["children"]);
  return {
    level,
    code: optionalText(asObject(message["code"])?.["code"]),
    message: text,
    place: primary && placeOf(callSite(primary)),
    label: primary && optionalText(primary["label"]),
    related: spans.filter((span) => span !== primary).flatMap(toRelated),
    notes: children.flatMap(toNote),
    helps: children.flatMap(toHelp),
    rendered: textOf(message["rendered"]),
  };
}

function levelOf(level: string): Diagnostic["level"] | undefined {
  if (level === "failure-note") return undefined;
  if (level === "warning") return "warning";
  return level.startsWith("error") ? "error" : "note";
}

function isSummary(message: string): boolean {
  return /^aborting due to |^\d+ warnings? emitted$/.test(message);
}

/** Returns the outermost macro call that produced `span`, if the span is in another crate's source. */
function callSite(span: Members): Members {
  let site = span;
  for (;;) {
    const outer = asObject(asObject(site["expansion"])?.["span"]);
    if (outer === undefined || !/^(?:\/|[A-Za-z]:[\\/]|<)/.test(textOf(site["file_name"]))) return site;
    site = outer;
  }
}

function placeOf(span: Members): DiagnosticPlace {
  return {
    file: textOf(span["file_name"]).replaceAll("\\", "/"),
    line: numberOf(span["line_start"]),
    column: numberOf(span["column_start"]),
  };
}

function toRelated(span: Members): Related[] {
  const label = optionalText(span["label"]);
  return label === undefined ? [] : [{ place: placeOf(span), label }];
}

/** Notes about a lint level or further reading, which say nothing about the program. */
const uninformativeNote = /^`#\[\w+\(.*\)\]` (?:\(part of .*\) )?on by default$|^`-\w .*` implied by|^to override `/;
const uninformativeHelp = /^for further information visit |^to override `|^for more information, see /;

function toNote(child: Members): string[] {
  const message = textOf(child["message"]);
  if (textOf(child["level"]) !== "note" || uninformativeNote.test(message)) return [];
  const spans = objectsOf(child["spans"]);
  const place = spans[0] && placeOf(spans[0]);
  return [place ? `${place.file}:${place.line}:${place.column} ${message}` : message];
}

function toHelp(child: Members): Help[] {
  const message = textOf(child["message"]);
  if (textOf(child["level"]) !== "help" || uninformativeHelp.test(message)) return [];
  return [{ message, edits: objectsOf(child["spans"]).flatMap(toEdit) }];
}

function toEdit(span: Members): Edit[] {
  const replacement = span["suggested_replacement"];
  if (typeof replacement !== "string") return [];
  return [{ place: placeOf(span), isInsertion: span["byte_start"] === span["byte_end"], replacement }];
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
