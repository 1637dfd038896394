import {
  comparePositions,
  SymposiumError,
  type TextEdit,
  type WorkspaceChange,
  type WorkspaceEdit,
} from "@symposium-dev/core";
import { canonicalUri, isSameRange, toRange, type Wire, wireList, wireObject, wireText } from "./wire-places.js";

/** The workspace edit of a language server, in either of the protocol's forms. Throws for steps that are not known: part of an edit is none. */
export function toWorkspaceEdit(value: unknown): WorkspaceEdit {
  const { documentChanges, changes } = wireObject(value);
  if (Array.isArray(documentChanges)) return { changes: wireList(documentChanges).map(toChange) };
  return {
    changes: Object.entries(wireObject(changes)).map(([uri, edits]) => ({
      kind: "edit",
      uri: canonicalUri(uri),
      edits: toTextEdits(edits),
    })),
  };
}

/** Edits of one document, from its beginning, each once: some servers repeat themselves. */
export function toTextEdits(value: unknown): readonly TextEdit[] {
  const edits = wireList(value).map((edit) => ({ range: toRange(edit["range"]), newText: newTextOf(edit) }));
  const isRepeated = (edit: TextEdit, index: number): boolean =>
    comparePositions(edit.range.start, edit.range.end) !== 0 &&
    edits.slice(0, index).some((other) => isSameRange(other.range, edit.range) && other.newText === edit.newText);
  return edits
    .filter((edit, index) => !isRepeated(edit, index))
    .sort((a, b) => comparePositions(a.range.start, b.range.start));
}

function newTextOf(edit: Wire): string {
  return wireText(edit["newText"]) ?? wireText(wireObject(edit["snippet"])["value"]) ?? "";
}

function toChange(change: Wire): WorkspaceChange {
  const uri = canonicalUri(wireText(change["uri"]) ?? "");
  const options = wireObject(change["options"]);
  switch (change["kind"]) {
    case undefined:
      return {
        kind: "edit",
        uri: canonicalUri(wireText(wireObject(change["textDocument"])["uri"]) ?? ""),
        edits: toTextEdits(change["edits"]),
      };
    case "create":
      return { kind: "create", uri, ...(options["overwrite"] === true && { overwrite: true }) };
    case "rename": {
      const [from, to] = [wireText(change["oldUri"]) ?? "", wireText(change["newUri"]) ?? ""];
      return { kind: "rename", from: canonicalUri(from), to: canonicalUri(to) };
    }
    case "delete":
      return { kind: "delete", uri };
    default:
      throw new SymposiumError(
        "ide-operation-failed",
        `The language server's edit has a step that is not known: ${JSON.stringify(change["kind"])}.`,
      );
  }
}
