import { asObject, type Members, objectsOf, textOf } from "../../base/rpc/json.js";

/** One message of the compiler or a lint, as `cargo --message-format=json` prints it. */
export interface Diagnostic {
  readonly level: "error" | "warning" | "note";
  /** An error code or the name of a lint. */
  readonly code: string | undefined;
  readonly message: string;
  /** Where it belongs to: of the primary span, or of the macro call that it comes from. */
  readonly place: Place | undefined;
  /** What stands below the primary span. */
  readonly label: string | undefined;
  /** The labels of the other spans. */
  readonly related: readonly Related[];
  readonly notes: readonly string[];
  readonly helps: readonly Help[];
  /** The whole of it as the compiler prints it. */
  readonly rendered: string;
}

export interface Place {
  /** As the compiler names it: relative to the workspace's root, or absolute. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
}

interface Related {
  readonly place: Place;
  readonly label: string;
}

export interface Help {
  readonly message: string;
  /** The text changes that it proposes. */
  readonly edits: readonly Edit[];
}

export interface Edit {
  readonly place: Place;
  readonly isInsertion: boolean;
  readonly replacement: string;
}

/** Reads `message` of a `compiler-message`; undefined for a summary such as "aborting due to 2 previous errors". */
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

/** The outermost call of the macro that `span` comes from, when the span lies in another crate's source. */
function callSite(span: Members): Members {
  let site = span;
  for (;;) {
    const outer = asObject(asObject(site["expansion"])?.["span"]);
    if (outer === undefined || !/^(?:\/|[A-Za-z]:[\\/]|<)/.test(textOf(site["file_name"]))) return site;
    site = outer;
  }
}

function placeOf(span: Members): Place {
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

/** Notes that say where a lint's level was set, or where to read on, say nothing about the program. */
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
