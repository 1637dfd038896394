import { type LineText, type PositionEncoding, toServerColumn } from "./position-encoding.js";

interface WirePosition {
  readonly line: number;
  readonly character: number;
}

/** The parameters of a question with its own `position` and `range` counted as the server does; what came from the server stays. */
export function encodeParams(encoding: PositionEncoding, params: object, uri: string, lineText: LineText): object {
  if (encoding === "utf-16") return params;
  const at = (position: WirePosition): WirePosition => {
    const text = lineText(uri, position.line);
    return text === undefined
      ? position
      : { ...position, character: toServerColumn(encoding, text, position.character) };
  };
  const encoded: Record<string, unknown> = { ...params };
  if (isPosition(encoded["position"])) encoded["position"] = at(encoded["position"]);
  if (isRange(encoded["range"]))
    encoded["range"] = { start: at(encoded["range"].start), end: at(encoded["range"].end) };
  if (isContext(encoded["context"])) {
    const diagnostics = encoded["context"].diagnostics.map((one) => encodeParams(encoding, one, uri, lineText));
    encoded["context"] = { ...encoded["context"], diagnostics };
  }
  return encoded;
}

function isPosition(value: unknown): value is WirePosition {
  return typeof value === "object" && value !== null && "line" in value && "character" in value;
}

/** That of a question for code actions, which hands diagnostics back. */
function isContext(value: unknown): value is { readonly diagnostics: readonly object[] } {
  return typeof value === "object" && value !== null && "diagnostics" in value && Array.isArray(value.diagnostics);
}

function isRange(value: unknown): value is { readonly start: WirePosition; readonly end: WirePosition } {
  return typeof value === "object" && value !== null && "start" in value && isPosition(value.start);
}
