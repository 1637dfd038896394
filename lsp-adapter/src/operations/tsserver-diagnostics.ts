import { fileUri } from "@symposium-dev/core";
import { type Wire, wireList, wireObject, wireText } from "./wire-places.js";

const commands = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];
/** By tsserver's categories, as LSP numbers severities. */
const severities: Readonly<Record<string, number>> = { error: 1, warning: 2, message: 3, suggestion: 4 };

/** The parameters of the `workspace/executeCommand` requests by which typescript-language-server asks its tsserver about a document. */
export function tsserverQuestions(uri: string): readonly object[] {
  return commands.map((command) => ({
    command: "typescript.tsserverRequest",
    arguments: [command, { file: uri }, { lowPriority: false }],
  }));
}

/** tsserver's answer to one of them, with its lines and columns from 1, as LSP has diagnostics; undefined where it is none. */
export function tsserverDiagnostics(answer: unknown): readonly Wire[] | undefined {
  const { body } = wireObject(answer);
  if (!Array.isArray(body)) return undefined;
  return wireList(body).map((item) => ({
    range: rangeOf(item),
    message: wireText(item["text"]) ?? "",
    severity: severities[wireText(item["category"]) ?? ""] ?? 1,
    code: item["code"],
    source: wireText(item["source"]) ?? "typescript",
    relatedInformation: wireList(item["relatedInformation"]).map(relatedOf),
  }));
}

function relatedOf(item: Wire): Wire {
  const span = wireObject(item["span"]);
  const location = { uri: fileUri(wireText(span["file"]) ?? ""), range: rangeOf(span) };
  return { location, message: item["message"] };
}

function rangeOf({ start, end }: Wire): Wire {
  return { start: positionOf(start), end: positionOf(end) };
}

function positionOf(value: unknown): Wire {
  const { line, offset } = wireObject(value);
  return { line: Number(line) - 1, character: Number(offset) - 1 };
}
